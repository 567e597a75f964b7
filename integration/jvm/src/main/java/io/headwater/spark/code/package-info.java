/** Functions of the program in Java and Scala, as their class files have them: nothing of them is loaded or called. */
package io.headwater.spark.code;

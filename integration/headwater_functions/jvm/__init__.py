"""Functions in Java and Scala, of whose class files the agent sends the instructions."""

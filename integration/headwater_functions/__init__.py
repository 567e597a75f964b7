"""Looks into functions of Python without executing them: what their results are made of.

In comes a function as a pickle of PySpark has it (``pickles``), or source that is compiled and never run (``source``).
What Spark does with classes of table functions (``table_function``) and with chains of functions over an RDD's rows
(``rdd_function``) is written down as a function around them. Both give records of code (``code``), whose instructions
of any supported Python version are brought into one small set (``bytecode``) and interpreted over abstract values
(``analysis``). Out comes, for each part of the result, the paths of the arguments that it is made of (``result``),
which ``resolve`` brings to the arguments' types. What cannot be read raises ``UnreadableError`` with the reason; what
is read is never narrowed beyond what is certain.
"""

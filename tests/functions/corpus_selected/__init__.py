"""Functions that take or leave a part of constants by an argument: only the choice is made of it."""

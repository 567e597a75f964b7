"""Functions of the program that pandas calls: what they read of what they get, and what they find around them."""

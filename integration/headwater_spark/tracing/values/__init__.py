"""Values: what an expression is made of, function by function, as inputs with what happened to them."""

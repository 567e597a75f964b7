"""What conditions say of the whole graph, and of one path in words."""

"""What conditions say of the whole graph, of one path in words, and of its uses."""

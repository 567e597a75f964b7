"""What each normalised instruction does to a frame, by subject; jumps, returns and yields are the reader's."""

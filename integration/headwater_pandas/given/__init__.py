"""What a program gives to a call by itself: constants of its text, figures of frames, and what nobody knows of."""

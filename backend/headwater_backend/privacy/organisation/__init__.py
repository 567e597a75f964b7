"""What an organisation states about itself and its processing, and the file in which it does."""

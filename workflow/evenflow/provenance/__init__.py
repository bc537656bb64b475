"""What was made from what, down to the lines of raw files."""

"""What the names of logs say."""

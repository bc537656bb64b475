"""Claims: what sentences assert, what the data say of them, and how that is counted and printed."""

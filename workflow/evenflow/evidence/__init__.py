"""Numbers that carry the rows that they were printed from, rows that carry their runs."""

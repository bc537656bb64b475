"""How figures look, and the charts that several pages and papers share."""

"""What papers make tables in print and figures of: docs/guides/tables-and-figures.md."""

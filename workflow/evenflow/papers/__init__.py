"""Papers: folders below reports/ whose functions make figures, tables and numbers."""

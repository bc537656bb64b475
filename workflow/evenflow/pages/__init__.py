"""The pages of the site: of data sets, the index, notices."""

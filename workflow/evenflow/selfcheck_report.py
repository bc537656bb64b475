"""Names that papers which have no folder yet import; see `reporting.selfcheck`."""

from .reporting.selfcheck import selfcheck_table, selfcheck_variables

__all__ = ["selfcheck_table", "selfcheck_variables"]

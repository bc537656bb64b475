"""The one error of the render path."""

from ..errors import DataError


class RenderError(DataError):
    """A report that cannot be rendered as written.

    The message holds one line per problem, each with the file, the line or key, and the remedy.
    """

    def __init__(self, problems: list[str] | str):
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        Exception.__init__(self, "\n".join(self.problems))

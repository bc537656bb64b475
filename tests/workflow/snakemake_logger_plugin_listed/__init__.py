"""A logger plugin of Snakemake: what each job of a dry run needs, a JSON document a line."""

import json
import sys

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent


class LogHandler(LogHandlerBase):
    writes_to_stream = True
    writes_to_file = has_filter = needs_rulegraph = False
    has_formatter = True

    def emit(self, record):
        if getattr(record, "event", None) != LogEvent.JOB_INFO:
            if record.levelname == "ERROR":
                print(record.getMessage(), file=sys.stderr, flush=True)
            return
        needs = {name: str(value) for name, value in record.resources.items()}
        needs |= {"rule": record.rule_name, "threads": record.threads}
        print(json.dumps(needs | {"norun": not record.log}), file=sys.stdout, flush=True)

"""Write Vega, Vega-Lite and Vega-Embed as one piece of JavaScript that pages carry."""

from evenflow.charts.base import VEGA_LITE
from evenflow.files import write_text
from evenflow.runs.scripting import reporting_errors

import vl_convert

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", VEGA_LITE)
        write_text(snakemake.output[0], f"(() => {{{script}}})();")  # in a scope of its own

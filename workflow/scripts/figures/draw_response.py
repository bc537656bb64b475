"""Draw the response function of HighSpeed TCP with the points of RFC 3649's table."""

from evenflow.buffer_charts import response_function
from evenflow.buffer_reporting import RFC_TABLE
from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        save_chart(response_function(RFC_TABLE), snakemake.output[0])

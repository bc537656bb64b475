import polars as pl

from reports._grid.unsteady_runs import unsteady_markdown


def test_unsteady_runs_are_counted_by_what_makes_them_so():
    """Of five comparison runs one halves a starved flow, one moves a share; a calibration not."""
    run = pl.DataFrame(
        {
            "run_id": ["calm", "starved", "moved", "both", "alike", "calm-too"],
            "role": ["comparison"] * 4 + ["calibration", "comparison"],
            "base_rtt_s": [0.025, 0.4, 0.1, 0.2, 0.4, 0.4],
        }
    )
    run_metric = pl.DataFrame(
        {
            "run_id": run["run_id"],
            "drift": [0.01, 0.01, 0.3, 0.3, 0.3, 0.01],
            "flow_change": [1.1, 2.0, 1.4, 2.0, 2.0, 1.1],
        }
    )
    table = unsteady_markdown({"a": run}, {"a": run_metric}, {"a": "Own queue"})
    (row,) = [line for line in table.splitlines() if "Own queue" in line]
    assert [cell.strip() for cell in row.strip("|").split("|")] == ["Own queue", "5", "3", "2", "2"]

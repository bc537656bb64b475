# What rules share: functions that list their inputs. Constants are in the file of their stage.
from pathlib import Path


def package(*names):
    """List the modules of the package evenflow that a rule uses, so that their edit reruns it."""
    folder = Path("workflow/evenflow")
    modules = {path for name in names for path in folder.glob(f"{name}.py")}
    return sorted(str(path) for path in modules | {folder / "errors.py"})


def raw_files(wildcards):
    """List every file of a data set."""
    folder = Path("data/raw") / wildcards.dataset
    return sorted(str(path) for path in folder.rglob("*") if path.is_file())


def query_inputs(wildcards):
    """Map the names that a table's query uses to their Parquet files."""
    folder = f"{DERIVED}/{wildcards.dataset}"
    return {
        name: f"{folder}/{name.replace('parsed_', 'parsed/')}.parquet"
        for name in QUERIES[wildcards.table]
    }


def of_roles(table):
    """Return an input function: the table of every data set that has a role in a paper."""

    def inputs(wildcards):
        return [f"{DERIVED}/{name}/{table}.parquet" for name in PAPERS[wildcards.paper].values()]

    return inputs


def report_tables(wildcards):
    """Map the names of tables to those that a report's numbers come from."""
    roles = PAPERS[wildcards.paper]
    papers = f"{DERIVED}/papers/{wildcards.paper}"
    found = {
        name: [f"{DERIVED}/{dataset}/{name}.parquet" for dataset in roles.values()]
        for name in ("run", "flow", "flow_metric", "ledger", "sensitivity")
    }
    found |= {name: f"{papers}/{name}.parquet" for name in ("surface", "summary", "published")}
    if "simulation" in roles:
        testbeds = [role for role in roles if role != "simulation"]
        found["difference"] = expand(f"{papers}/difference_{{role}}.parquet", role=testbeds)
    if "testbed" in own_roles(wildcards.paper):
        found["selfcheck"] = SELFCHECK
    about = sorted({f"data/raw/{dataset}/dataset.yml" for dataset in roles.values()})
    return found | {"about": [path for path in about if Path(path).is_file()]}


def table_inputs(wildcards):
    """Map the names of tables to those that one table of a report is made of."""
    found = report_tables(wildcards) | {"authors": f"reports/{wildcards.paper}/authors.yml"}
    return {name: found[name] for name in TABLE_INPUTS[wildcards.table] if name in found}


def own_roles(paper):
    """List the roles whose data sets are those that the reports' texts were written about.

    What is written about the second testbed sets it beside the first.
    """
    roles = PAPERS[paper]
    own = [role for role, dataset in roles.items() if WRITTEN_ABOUT[role] == dataset]
    return own if "testbed" in own else [role for role in own if role == "simulation"]


def tables_of(paper):
    """List the tables of a report."""
    own, roles = own_roles(paper), PAPERS[paper]
    absent = {"selfcheck"} - ({"selfcheck"} if "testbed" in own else set())
    absent |= set() if "simulation" in roles else {"verdicts"}
    return [table for table in TABLE_INPUTS if table not in absent]


def figures_of(paper):
    """List the figures of a report: some of the paper, some of each testbed in it."""
    testbeds = [role for role in PAPERS[paper] if role != "simulation"]
    each = [f"{figure}_{role}" for figure in TESTBED_FIGURES[paper] for role in testbeds]
    return [*PAPER_FIGURES[paper], *each]


def testbed_receipts(dataset):
    """The receipts of the runs of a data set that are not there yet."""
    grid = TESTBED["grid"]
    runs = [
        f"{dataset}/{role}/{cca1}-{cca2}/rtt{rtt}_opb{buffer}/r{repeat}"
        for repeat in range(1, grid["repeats"] + 1)
        for role, pairs in grid["pairs"].items()
        for cca1, cca2 in pairs
        for rtt in grid["rtt_ms"]
        for buffer in grid["buffer_pct"]
    ]
    missing = [run for run in runs if not Path("data/raw", run, "run.json").exists()]
    receipts = [f"data/derived/experiments/{run}.done" for run in missing]
    for receipt in receipts:  # of a run that was made and then removed
        Path(receipt).unlink(missing_ok=True)
    return receipts


def small_receipts(start):
    """The receipts of the runs of the small campaigns that are not there yet, below a folder."""
    missing = [
        run for run in experiments.small.list_missing(SMALL, "data/raw") if run.startswith(start)
    ]
    return [f"data/derived/experiments/{run}.done" for run in missing]


def compared(wildcards):
    """Return the data sets that a difference surface is of: the simulator's, the testbed's."""
    roles = PAPERS["ns2-vs-testbed"]
    return [roles["simulation"], roles[wildcards.role]]

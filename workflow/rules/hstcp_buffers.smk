# hstcp-buffers: the model, what flows make of a bottleneck by its buffer, the two beside each other,
# and the figures, tables and numbers of the report. config: hstcp_buffers.
BUFFER_PAPER = "hstcp-buffers"
BUFFER_TABLES = f"{DERIVED}/papers/{BUFFER_PAPER}"
BUFFER_OWN = ("model_point", "link_metric", "buffer_cell", "model_error", "buffer_sensitivity")
# table of the report -> what it is made of, besides the published values
BUFFER_TABLE_INPUTS = {
    "coverage": ["link_metric"],
    "response": [],
    "comparison": ["buffer_cell", "model_error"],
    "errors": ["model_error"],
    "readings": ["model_point"],
    "published": ["model_point", "buffer_cell"],
    "offered": [],
    "claims": ["model_point", "buffer_cell", "model_error"],
    "two-flows": ["link_metric", "flow", "flow_metric"],
    "sensitivity": ["buffer_sensitivity", "link_metric"],
    "deviations": ["run", "flow", "link_metric"],
    "sources": [],
}
BUFFER_FIGURES = ["window-dynamics", "response", "utilisation_droptail", "utilisation_red"]
BUFFER_FIGURES += ["loss-rate", "two-flows", "warmup"]
if BUFFER_PAPER in PAPERS:
    REPORT_FIGURES[BUFFER_PAPER] = BUFFER_FIGURES
    REPORT_TABLES[BUFFER_PAPER] = list(BUFFER_TABLE_INPUTS)
WRITTEN_ABOUT[BUFFER_PAPER] = {"simulation": "ns2-hstcp-buffers"}


rule evaluate_model:
    message:
        "Evaluating the model of hstcp-buffers"
    input:
        code=modules_of("evaluate_model"),
    output:
        f"{BUFFER_TABLES}/model_point.parquet",
    log:
        "logs/evaluate_model/hstcp-buffers.log",
    conda:
        "../../environment.yml"
    params:
        settings=config["hstcp_buffers"],
    script:
        "../scripts/evaluate_model.py"


rule compute_link_metric:
    message:
        "Computing what the flows of hstcp-buffers make of the bottleneck"
    input:
        unpack(of_hstcp("run", "flow", "window", "queue_sample", "sample", "run_metric")),
        code=modules_of("compute_link_metric"),
    output:
        f"{BUFFER_TABLES}/link_metric.parquet",
    log:
        "logs/compute_link_metric/hstcp-buffers.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/compute_link_metric.py"


rule compute_buffer_cell:
    message:
        "Computing means and intervals over the repeats of hstcp-buffers"
    input:
        unpack(of_hstcp("link_metric")),
        code=modules_of("compute_buffer_cell"),
    output:
        f"{BUFFER_TABLES}/buffer_cell.parquet",
    log:
        "logs/compute_buffer_cell/hstcp-buffers.log",
    conda:
        "../../environment.yml"
    params:
        confidence=config["statistics"]["confidence"],
    script:
        "../scripts/compute_buffer_cell.py"


rule compare_model:
    message:
        "Setting the model of hstcp-buffers beside the simulation"
    input:
        unpack(of_hstcp("buffer_cell", "flow", "link_metric")),
        code=modules_of("compare_model"),
    output:
        f"{BUFFER_TABLES}/model_error.parquet",
    log:
        "logs/compare_model/hstcp-buffers.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/compare_model.py"


rule compute_buffer_sensitivity:
    message:
        "Computing how hstcp-buffers moves with the warm-up"
    input:
        unpack(of_hstcp("link_metric", "window", "queue_sample", "sample")),
        code=modules_of("compute_buffer_sensitivity"),
    output:
        f"{BUFFER_TABLES}/buffer_sensitivity.parquet",
    log:
        "logs/compute_buffer_sensitivity/hstcp-buffers.log",
    conda:
        "../../environment.yml"
    params:
        warmups_s=config["hstcp_buffers"]["sensitivity_warmup_s"],
    script:
        "../scripts/compute_buffer_sensitivity.py"


rule draw_window_dynamics:
    message:
        "Drawing the window of HighSpeed TCP between losses"
    input:
        code=modules_of("figures/draw_window_dynamics"),
    output:
        shown(f"reports/{BUFFER_PAPER}/figures/window-dynamics.svg"),
    log:
        "logs/draw_window_dynamics/hstcp-buffers.log",
    conda:
        "../../environment.yml"
    params:
        example=config["hstcp_buffers"]["example"],
    script:
        "../scripts/figures/draw_window_dynamics.py"


rule draw_response:
    message:
        "Drawing the response function of HighSpeed TCP"
    input:
        code=modules_of("figures/draw_response"),
    output:
        shown(f"reports/{BUFFER_PAPER}/figures/response.svg"),
    log:
        "logs/draw_response/hstcp-buffers.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_response.py"


rule draw_utilisation:
    message:
        "Drawing utilisation against the buffer"
    input:
        unpack(of_hstcp("model_point", "buffer_cell")),
        published=f"reports/{BUFFER_PAPER}/published.csv",
        code=modules_of("figures/draw_utilisation"),
    output:
        droptail=shown(f"reports/{BUFFER_PAPER}/figures/utilisation_droptail.svg"),
        red=shown(f"reports/{BUFFER_PAPER}/figures/utilisation_red.svg"),
    log:
        "logs/draw_utilisation/all.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_utilisation.py"


rule draw_loss_rate:
    message:
        "Drawing loss rates against the buffer"
    input:
        unpack(of_hstcp("model_point", "buffer_cell")),
        published=f"reports/{BUFFER_PAPER}/published.csv",
        code=modules_of("figures/draw_loss_rate"),
    output:
        shown(f"reports/{BUFFER_PAPER}/figures/loss-rate.svg"),
    log:
        "logs/draw_loss_rate/hstcp-buffers.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_loss_rate.py"


rule draw_two_flows:
    message:
        "Drawing windows and queue of two flows"
    input:
        unpack(of_hstcp("link_metric", "flow", "sample", "queue_sample")),
        code=modules_of("figures/draw_two_flows"),
    output:
        shown(f"reports/{BUFFER_PAPER}/figures/two-flows.svg"),
    log:
        "logs/draw_two_flows/hstcp-buffers.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_two_flows.py"


rule draw_buffer_warmup:
    message:
        "Drawing how hstcp-buffers moves with the warm-up"
    input:
        unpack(of_hstcp("buffer_sensitivity", "link_metric")),
        code=modules_of("figures/draw_buffer_warmup"),
    output:
        shown(f"reports/{BUFFER_PAPER}/figures/warmup.svg"),
    log:
        "logs/draw_buffer_warmup/hstcp-buffers.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_buffer_warmup.py"


rule write_buffer_table:
    message:
        "Writing the table {wildcards.table} of hstcp-buffers"
    input:
        unpack(hstcp_table_inputs),
        published=f"reports/{BUFFER_PAPER}/published.csv",
        authors=f"reports/{BUFFER_PAPER}/authors.yml",
        about=hstcp_about,
        code=modules_of("write_buffer_table"),
    output:
        f"reports/{BUFFER_PAPER}/tables/{{table}}.md",
    log:
        "logs/write_buffer_table/{table}.log",
    wildcard_constraints:
        table="|".join(BUFFER_TABLE_INPUTS),
    conda:
        "../../environment.yml"
    params:
        dataset=lambda wildcards: PAPERS[BUFFER_PAPER]["simulation"],
        settings=config["hstcp_buffers"],
    script:
        "../scripts/write_buffer_table.py"


rule write_buffer_variables:
    message:
        "Writing the numbers of hstcp-buffers"
    input:
        unpack(of_hstcp("run", "flow", "flow_metric", "ledger", *BUFFER_OWN)),
        about=hstcp_about,
        code=modules_of("write_buffer_variables"),
    output:
        f"reports/{BUFFER_PAPER}/_variables.yml",
    log:
        "logs/write_buffer_variables/hstcp-buffers.log",
    conda:
        "../../environment.yml"
    params:
        dataset=lambda wildcards: PAPERS[BUFFER_PAPER]["simulation"],
        own=lambda wildcards: own_roles(BUFFER_PAPER),
        settings=config["hstcp_buffers"] | {"confidence": config["statistics"]["confidence"]},
    script:
        "../scripts/write_buffer_variables.py"

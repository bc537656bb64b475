# Figures of the papers on the grid: derived tables -> reports/<paper>/figures/*.svg. A rule and a
# script, of one name, for a figure or all figures of one table. Other papers have theirs in their
# own file.
FIGURES = "reports/{paper}/figures"


rule draw_jfi_range:
    message:
        "Drawing Jain's index of two flows"
    input:
        code=modules_of("figures/draw_jfi_range"),
    output:
        shown(f"{FIGURES}/jfi-range.svg"),
    log:
        "logs/draw_jfi_range/{paper}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_jfi_range.py"


rule draw_surfaces:
    message:
        "Drawing the surfaces of {wildcards.paper}"
    input:
        surface=f"{DERIVED}/papers/{{paper}}/surface.parquet",
        code=modules_of("figures/draw_surfaces"),
    output:
        [
            shown(f"{FIGURES}/{figure}_{part}.svg")
            for figure in TESTBED_FIGURES["on-path-buffering"]
            for part in PAPERS.get("on-path-buffering", WRITTEN_ABOUT["on-path-buffering"])
        ],
    log:
        "logs/draw_surfaces/{paper}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_surfaces.py"


rule draw_jfi_surfaces:
    message:
        "Drawing the surfaces of Jain's index for {wildcards.paper}"
    input:
        surface=f"{DERIVED}/papers/{{paper}}/surface.parquet",
        code=modules_of("figures/draw_jfi_surfaces"),
    output:
        shown(f"{FIGURES}/jfi-surfaces.svg"),
    log:
        "logs/draw_jfi_surfaces/{paper}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_jfi_surfaces.py"


rule draw_differences:
    message:
        "Drawing the difference surfaces and verdicts against {wildcards.role}"
    input:
        difference=f"{DERIVED}/papers/{{paper}}/difference_{{role}}.parquet",
        code=modules_of("figures/draw_differences"),
    output:
        surfaces=shown(f"{FIGURES}/difference-surfaces_{{role}}.svg"),
        verdicts=shown(f"{FIGURES}/verdicts_{{role}}.svg"),
    log:
        "logs/draw_differences/{paper}_{role}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_differences.py"


rule draw_time_series:
    message:
        "Drawing one run of each data set of {wildcards.paper}"
    input:
        sample=of_roles("sample"),
        flow=of_roles("flow"),
        run=of_roles("run"),
        window=of_roles("window"),
        surface=f"{DERIVED}/papers/{{paper}}/surface.parquet",  # made of data sets that can play
        code=modules_of("figures/draw_time_series"),
    output:
        shown(f"{FIGURES}/time-series.svg"),
    log:
        "logs/draw_time_series/{paper}.log",
    conda:
        "../../environment.yml"
    params:
        example=config["example_run"],
    script:
        "../scripts/figures/draw_time_series.py"


rule draw_warmup:
    message:
        "Drawing how Jain's index moves with the warm-up for {wildcards.paper}"
    input:
        sensitivity=of_roles("sensitivity"),
        run=of_roles("run"),
        surface=f"{DERIVED}/papers/{{paper}}/surface.parquet",  # made of data sets that can play
        code=modules_of("figures/draw_warmup"),
    output:
        shown(f"{FIGURES}/warmup.svg"),
    log:
        "logs/draw_warmup/{paper}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_warmup.py"

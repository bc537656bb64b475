# What was made of data sets, papers and comparisons that are gone is removed, if it is ours.
#
# in:  the receipts of what was made (evenflow.runs); upkeep.smk says what is gone
# out: .evenflow/tidied, once; a dry run shows the job
rule tidy:
    message:
        "Removing results of data sets that are gone"
    input:
        code=modules_of("tidy"),
    output:
        TIDIED,
    log:
        "logs/tidy/all.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        gone=lambda wildcards: UPKEEP.gone(),
    script:
        "../scripts/tidy.py"

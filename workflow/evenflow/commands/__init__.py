"""What the command `evenflow` does, a module each; `evenflow.command` reads its words.

A command that makes something says the command of Snakemake that it runs, and adds nothing to it.
"""

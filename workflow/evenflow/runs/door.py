"""The one door into Snakemake: an input function that each rule of ours gets, and adds no input.

Snakemake calls input functions for every job when it builds its graph, in every command that has
one, whatever the target, as a module too; while it reads the files it cannot be known whether a run
is a real one, and `onstart:` is left out in a module and where nothing is to be done. What is used
of Snakemake beyond input functions is in this module (9.27; tests/workflow/test_door.py fails where
a new version has none of it):

    workflow.dag.forcefiles     what is to be made again, so a dry run shows it
    workflow._prepare_dag       called before targets are looked at, when all rules are known
    workflow.executor_plugin    None where a command only looks
    workflow._onstart, _onerror as `onstart:` and `onerror:` set them
    workflow.dag.bfs            the jobs above one that failed
    scheduler.job_rate_limiter  would set a timer for each job that starts
    workflow.snakemake_tmp_dir  of a run that was killed, removed by the next one
    workflow.modifier           the prefix that a module is taken with, and whether with a `config`;
                                what it calls our rules
    dag.check_output_mtime      fails a job with an input of the future; here content counts
    persistence.metadata        stops at what is remembered and damaged
    persistence.finished,       reads inputs again for each output of a job; workflow.iocache keeps
    workflow.iocache            what was read
    persistence.code_changed,   what `--rerun-triggers code` asks, by the time of a script; here,
    Job.outputs_older_than_...  for rules with receipts, content counts
    persistence._serialize_...  loads pandas, for 0.3 s, to see that no parameter is of it
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from ..places import typed

ALL = "all"  # the rule that is made by default
DELETES = ("--delete-all-output", "--delete-temp-output")
LOOKS = ("-n", "--dry-run", "--dryrun")


class Guest(Protocol):
    """What comes through the door."""

    def begin(self, real: bool) -> None:
        """Be called once, before anything is looked at; `real`: jobs may run.

        Raises:
            RefusedError: the run may not be.
        """

    def why_again(self, outputs: Sequence[str]) -> str | None:
        """Say why a job must run again, by its outputs."""

    def start(self, jobs: Iterable[Any]) -> None:
        """Be called when jobs of ours are going to run, before the first."""

    def fail(self, jobs: Iterable[Any]) -> None:
        """Be called when jobs have failed; `jobs` are those that were to run."""


class RefusedError(Exception):
    """A run that may not be: a sentence, with a remedy."""


class _Door:
    def __init__(self, workflow: Any, guest: Guest) -> None:
        self.workflow, self.guest, self.begun = workflow, guest, False
        self.rules: list[Any] = []
        self.hooked: dict[str, bool] = {}  # whether a rule is ours, by its name
        self.names: dict[str, str] = {}  # of a rule in our files: as the workflow calls it
        prepare = workflow._prepare_dag

        def name_targets(*rest: Any, **named: Any) -> Any:
            self._name_targets()
            return prepare(*rest, **named)

        workflow._prepare_dag = name_targets

    def hook(self, rule: Any, ours: bool) -> None:
        """Have a rule's jobs looked at; those that are not ours only begin the run."""
        if any(rule is one for one in self.rules):
            return
        self.rules.append(rule)  # by itself: one that is used again, with other inputs, is another
        self.hooked[rule.name] = ours

        def look(wildcards: Any) -> list:
            self.begin()
            # a job of a cluster is of a run that has looked
            if ours and rule.output and self.workflow.is_main_process:
                outputs = [pattern.apply_wildcards(wildcards) for pattern in rule.output]
                if self.guest.why_again(outputs):
                    self.workflow.dag.forcefiles.update(outputs)
            return []

        rule.set_input(look)

    def know_names(self) -> None:
        """Remember what the workflow calls our rules: a module's `as evenflow_*` renames them."""
        modifier = self.workflow.modifier
        for name in modifier.rule_proxies._rules:
            if modifier.avail_rulename(name):  # else `use rule` takes others only
                self.names.setdefault(name, modifier.modify_rulename(name))

    def _name_targets(self) -> None:
        """Have our rules answer to their own names, where no rule of others has them.

        What is made by default is ours, unless the study has a rule `all` of its own, before or
        after it takes ours under another name.
        """
        workflow, dag = self.workflow, self.workflow.dag_settings
        if workflow.default_target == self.names.get(ALL) and workflow.is_rule(ALL):
            workflow.default_target = ALL
        dag.targets = [
            name if workflow.is_rule(name) else self.names.get(name, name) for name in dag.targets
        ]

    def begin(self) -> None:
        """Begin the run, once, before anything is looked at."""
        if self.begun:
            return
        self.begun, workflow = True, self.workflow
        workflow.dag.check_output_mtime = _no_check
        if not workflow.is_main_process:
            return
        real = workflow.executor_plugin is not None and not workflow.dryrun
        try:
            refuse(workflow, sys.argv)
            self.guest.begin(real)
        except RefusedError as error:
            print(error, file=sys.stderr)
            sys.exit(1)  # an error of an input function would be said with its rule and a traceback
        forgive(workflow.persistence, real)
        self._know_code_by_content()
        _leave_pandas(workflow.persistence)
        _read_inputs_once(workflow)
        if real:
            self._chain()

    def _know_code_by_content(self) -> None:
        """Have receipts alone say whether the code of our rules is another.

        An installer gives scripts any time: that of its cache, or of now.
        """
        from snakemake.jobs import Job  # here: jobs that use no door need none of Snakemake

        persistence, older = self.workflow.persistence, Job.outputs_older_than_script_or_notebook
        changed = persistence.code_changed

        def code_changed(job: Any, *rest: Any, **named: Any) -> Any:
            return [] if self.hooked.get(job.rule.name) else changed(job, *rest, **named)

        async def outputs_older(job: Any) -> Any:
            if not self.hooked.get(job.rule.name):
                async for path in older(job):
                    yield path

        persistence.code_changed = code_changed
        Job.outputs_older_than_script_or_notebook = outputs_older

    def _chain(self) -> None:
        """Come before what `onstart:` and `onerror:` of the outermost file say."""
        workflow, theirs = self.workflow, (self.workflow._onstart, self.workflow._onerror)

        def start(log: Any) -> None:
            for job in workflow.dag.needrun_jobs():
                for path in job.output:  # what is damaged goes: Snakemake reads it as the job ends
                    workflow.persistence.metadata(path)
            self.guest.start(self._needed())
            theirs[0](log)

        def fail(log: Any) -> None:
            self.guest.fail(self._needed())
            theirs[1](log)

        workflow._onstart, workflow._onerror = start, fail

    def _needed(self) -> list:
        jobs = self.workflow.dag.needrun_jobs()
        return [job for job in jobs if self.hooked.get(job.rule.name)]


def _leave_pandas(persistence: Any) -> None:
    """Have Snakemake not load pandas where nobody else has: then no parameter is of it."""
    of_pandas = persistence._serialize_param_pandas

    def serialize(value: Any) -> Any:
        loaded = "pandas" in sys.modules
        return of_pandas(value) if loaded else persistence._serialize_param_builtin(value)

    persistence._serialize_param_pandas = serialize


def _read_inputs_once(workflow: Any) -> None:
    """Have Snakemake read the inputs of a job that has ended once, not once for each output.

    It keeps checksums of all inputs with each output: 3,000 inputs and 10 outputs took 7 s.
    """
    from snakemake.io import IOCache  # here: as above

    finished, usual = workflow.persistence.finished, workflow.iocache

    async def finish(job: Any) -> None:
        workflow.iocache = IOCache(0)
        try:
            await finished(job)
        finally:
            workflow.iocache = usual

    workflow.persistence.finished = finish


async def _no_check(*_: object) -> None:
    """Check nothing, in place of Snakemake's comparison of times."""


def door_of(workflow: Any, guest: Guest) -> _Door:
    """Return the door of a workflow, made for the first guest: a module's files are read again and
    again, once for each `use rule`."""
    if not hasattr(workflow, "evenflow_door"):
        workflow.evenflow_door = _Door(workflow, guest)
    return workflow.evenflow_door


def refuse(workflow: Any, words: Sequence[str]) -> None:
    """Refuse what would remove or date what evenflow did not make.

    Raises:
        RefusedError: with the remedy.
    """
    if workflow.touch:
        why = "evenflow compares contents: --touch would only change the dates of files"
        raise RefusedError(f"{why}. Remedy: leave it out; dates do not decide what is made again")
    if workflow.executor_plugin is not None and workflow.execution_settings.no_hooks:
        why = "with --no-hooks Snakemake would remove any file in the way of a job's outputs"
        raise RefusedError(f"{why}. Remedy: leave it out")
    deletes = [word for word in words if word.startswith("--delete-") and _may_be(word, DELETES)]
    if deletes and not any(word in words for word in LOOKS):
        why = f"{deletes[0]} would remove any file in the place of an output, yours too"
        raise RefusedError(f"{why}. Remedy: `{typed('clean')}`, which removes what evenflow made")


def jobs_above(workflow: Any, job: Any) -> set:
    """Return the jobs that one needs, directly or through others, and itself."""
    return {*workflow.dag.bfs(workflow.dag.dependencies, job)}


def start_at_once(workflow: Any) -> None:
    """Have jobs started as fast as they are ready.

    Snakemake's limiter of job starts (100 in a second unless told otherwise) sets a timer each time
    it looks for jobs, and each timer makes it look again: with hundreds of jobs ready it does
    little else.
    """
    if hasattr(workflow.scheduler, "job_rate_limiter"):
        workflow.scheduler.job_rate_limiter = None


def refuse_prefix(workflow: Any) -> str | None:
    """Say why a workflow may not be taken as a module with these paths; None where it may.

    Snakemake prefixes inputs and outputs, but neither parameters nor what Python reads.
    """
    paths = workflow.modifier.path_modifier
    if paths.prefix is None and paths._prefix_replacements is None:
        return None
    return (
        "evenflow cannot be used with `prefix` or `replace_prefix`. Remedy: leave it out, and say "
        "where its files are with `folders:` in config.yaml, or in the module's `config`: "
        "{'folders': {'derived': 'mine/tables', 'reports': 'mine/pages'}}"
    )


def _may_be(word: str, options: Iterable[str]) -> bool:
    return any(option.startswith(word) for option in options)


def forgive(persistence: Any, real: bool) -> None:
    """Have damaged memories of Snakemake's count as none; in a real run they are removed."""
    remembered = persistence.metadata

    def metadata(target: Any) -> Any:
        try:
            return remembered(target)
        except Exception:  # of pydantic, of JSON, of the file system
            if real:
                persistence.cleanup_metadata(target)
            return None

    persistence.metadata = metadata

"""Runs: what each job read and made, what of it may be removed, and what must be made again.

    .evenflow/made/<job>.json      a receipt a job, written when it ends: `receipts`
    .evenflow/read/<set>.json      what several jobs read alike, the code above all
    .evenflow/begun/<process>.jsonl   named before it is there: temporary files, files: `journal`
    .evenflow/run.lock, jobs/      one run at a time, and its jobs: `locking`
    .evenflow/settled/<command>.json  what all was like when it last ended well: `settled`
    set-aside/<time>/              what lay where evenflow had to write: `clearing`

Jobs import `receipts`, `journal` and `locking`; the rest is for the process that starts them, and
no edit of it makes anything again.
"""

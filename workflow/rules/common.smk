# What rules of several stages share.
def package(*names):
    """List the modules of the package evenflow that a rule uses, so that their edit reruns it."""
    folder = Path("workflow/evenflow")
    modules = {path for name in names for path in folder.glob(f"{name}.py")}
    return sorted(str(path) for path in modules | {folder / "errors.py"})

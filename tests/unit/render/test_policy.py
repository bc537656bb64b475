"""What a page may do, as its head says it."""

import pytest
from evenflow.render.policy import META, with_policy

NOTHING = META.format("default-src 'none'")


@pytest.mark.parametrize(
    ("page", "before"),
    [
        (f'<!doctype html><head><meta charset="utf-8">{NOTHING}</head>', '<meta charset="utf-8">'),
        ('<!doctype html><head>\n<meta charset="utf-8">\n<title>t</title></head>', '"utf-8">\n'),
        ("<!doctype html>\n<html><head><title>t</title></head>", "<html><head>"),
        ("<p>text</p>", ""),
    ],
)
def test_every_page_has_one_policy_at_its_beginning(page, before):
    made = with_policy(page)
    assert made.count("Content-Security-Policy") == 1
    assert made.partition("<meta http-equiv")[0].endswith(before)
    assert "default-src 'none'; " in made and "script-src" not in made  # it has no script
    assert with_policy(made) == made


def policy_of(page: str) -> str:
    return with_policy(page).partition('content="')[2].partition('"')[0]


def test_scripts_are_named_by_their_text_and_data_are_not():
    page = f'{NOTHING}<script>run()</script><script type="text/plain" id="x">run2()</script>'
    # printf 'run()' | openssl dgst -sha256 -binary | base64
    own = "script-src 'sha256-AvyuiL0SD1mVY3NNxR+V2uo+lhk6RMFrytWmRt6CrJQ='"
    assert policy_of(page).split("; ").count(own) == 1
    assert own not in policy_of(page.replace("run()", "run() "))
    assert policy_of(page) == policy_of(page.replace("run2()", "other()"))

"""`warledger language`: the texts of another language, begun and checked.

`new` writes the English catalogues as comments, to be translated line by line. `check` says what is
wrong in a language's catalogues, and how much is still said in English.
"""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import click

from warledger.clients.terminal.screen import Screen
from warledger.engine.testing.catalogues import differs
from warledger.protocol.lang import catalogue, languages
from warledger.protocol.texts import languagepath, plurals
from warledger.protocol.texts.phrases import LANGUAGES, NAME, plural_forms

_PROJECT = """\
[build-system]
requires = ["hatchling>=1.25"]
build-backend = "hatchling.build"

[project]
name = "warledger-{tag}"
version = "1"
dependencies = ["warledger"]

[project.entry-points."warledger.languages"]
{tag} = "{package}"

[tool.hatch.build.targets.wheel]
only-include = ["{tag}"]
sources = {{ "{tag}" = "{package}" }}
"""

_HEAD = """\
# Remove the # of a line and translate its text in quotation marks. What is left is said in English.
# {{…}} is filled in; what stands before the first colon in it stays as it is.
"language.name" = "{name}"
# The rules of plural forms, as https://www.unicode.org/cldr/charts/latest/supplemental/language_plural_rules.html
# has them for whole numbers, without the examples; a language without plural forms has none.
# "plural.one" = "i = 1 and v = 0"
# "plural.few" = "…"
"""


def new(screen: Screen, tag: str, name: str, folder: Path) -> int:
    """Write a language's project into a folder: its catalogues under its tag, and what makes them a
    distribution."""
    if languagepath.TAG.fullmatch(tag) is None:
        raise click.UsageError(f"{tag!r} is not the tag of a language, such as pl or pt-BR")
    if tag in languages():
        raise click.UsageError(f"there is a language {tag} already")
    project = folder / f"warledger-{tag}"
    if project.exists():
        raise click.UsageError(f"{project} is there already; choose another --in")
    try:
        (project / tag).mkdir(parents=True)
        for place, text in _project(tag, name):
            (project / place).write_text(text, encoding="utf-8")
    except OSError as error:
        screen.say("cli.failed", what=str(error))
        return 1
    screen.say("cli.language_made", language=tag, folder=str(project.resolve()))
    return 0


def _project(tag: str, name: str) -> Iterator[tuple[str, str]]:
    package = f"warledger_{tag.lower().replace('-', '_')}"
    yield "pyproject.toml", _PROJECT.format(tag=tag, package=package)
    for item in files("warledger.protocol.lang").joinpath(LANGUAGES[0]).iterdir():
        if item.name.endswith(".toml"):
            lines = item.read_text(encoding="utf-8").splitlines()
            text = "".join(f"# {line}\n" if line.startswith('"') else f"{line}\n" for line in lines)
            if item.name == "core.toml":
                own = (f'# "{NAME}"', f'# "{plurals.PREFIX}')
                kept = [line for line in text.splitlines(True) if not line.startswith(own)]
                text = _HEAD.format(name=name) + "\n" + "".join(kept)
            yield f"{tag}/{item.name}", text


def check(screen: Screen, tag: str) -> int:
    """What is wrong in the catalogues of a language; exit code 1 if anything is."""
    if tag not in languages():
        raise click.UsageError(f"there is no language {tag}; there are {', '.join(languages())}")
    own, english = catalogue(tag), catalogue(LANGUAGES[0])
    wrong = list(_wrong(tag))
    for finding in wrong:
        screen.write(finding)
    left = [key for key in english if key not in own and not key.startswith(plurals.PREFIX)]
    screen.say("cli.language_in_english", language=tag, n=len(left), all=len(english))
    if wrong:
        screen.say("cli.language_bad", language=tag, n=len(wrong))
    else:
        screen.say("cli.language_good", language=tag)
    return 1 if wrong else 0


def _wrong(tag: str) -> Iterator[str]:
    own, english = catalogue(tag), catalogue(LANGUAGES[0])
    rules = len(plurals.rules(own))
    for key, text in own.items():
        if key.startswith(plurals.PREFIX):
            continue
        if key not in english:
            yield f"{key} is not in English"
            continue
        yield from differs(key, text, english[key])
        for forms in plural_forms(text):
            if len(forms) not in (max(rules, 1), rules + 1):
                yield (
                    f"{key} has {len(forms)} plural forms; the rules of {tag} ask for "
                    f"{rules + 1}, or one less where no number is left for the last"
                )

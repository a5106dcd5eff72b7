"""Which language a command speaks."""

import os
from typing import Final

import click

from warledger.protocol.lang import BadCatalogue, language_of, languages
from warledger.protocol.texts.phrases import LANGUAGES

HELP: Final = (
    f"{', '.join(LANGUAGES)}, or one that is installed beside them; default: the system's language."
)


def language_from_environment(wanted: str = "") -> str:
    """The language asked for, or else that of the system, or else English."""
    variables = ("WARLEDGER_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    for value in (wanted, *(os.environ.get(variable, "") for variable in variables)):
        found = language_of(value) if value else None
        if found is not None:
            return found
    return LANGUAGES[0]


def chosen(lang: str = "") -> str:
    """The language of an option --lang, "" where it was not given. Raises UsageError for one that
    is not here, and for catalogues that cannot be used."""
    try:
        if lang and language_of(lang) is None:
            raise click.UsageError(f"no language {lang!r}; choose from {', '.join(languages())}")
        return language_from_environment(lang)
    except BadCatalogue as error:
        raise click.UsageError(str(error)) from error

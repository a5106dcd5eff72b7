"""A server's settings from flags and a file. The file is TOML, with the names of the flags of
`warledger serve`, and the limits.

    data = "/var/lib/warledger"
    tcp = "0.0.0.0:7470"
    http-name = ["games.example.org"]
    log-level = "warning"

    [limits]            # engine.serve.config.ServerLimits
    connections = 2000

    [http-limits]       # HttpLimits
    requests_per_second = 50

    [tending]           # Tending
    seats = 86400

A key that is not known is refused with those that are: a limit that is misspelt would else not
hold, and nobody would notice.
"""

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from warledger.engine.runtime.supervisor import Tending
from warledger.engine.serve.config import (
    SETTING,
    BadConfig,
    Config,
    HttpLimits,
    ServerLimits,
    Setting,
)

L = TypeVar("L", ServerLimits, HttpLimits, Tending)


@attrs.frozen
class Settings:
    """What a file says: `flags` by the names of the flags, without their dashes."""

    flags: dict[str, Any] = attrs.field(factory=dict)
    limits: ServerLimits = attrs.field(factory=ServerLimits)
    http_limits: HttpLimits = attrs.field(factory=HttpLimits)
    tending: Tending = attrs.field(factory=Tending)

    def config(self, given: Mapping[str, Any], house: Mapping[str, str]) -> Config:
        """The Config of what flags and file gave, by the names of the fields. Raises BadConfig."""
        values: dict[str, Any] = {}
        for field, setting in declared():
            values |= setting.values(field.name, given[field.name])
        tables = {name: getattr(self, name) for name in ("limits", "http_limits", "tending")}
        return Config(**values, **tables, house=house)


def declared() -> list[tuple["attrs.Attribute[Any]", Setting]]:
    """The fields of Config that are set by flags, in the order of the help."""
    return [
        (field, field.metadata[SETTING])
        for field in attrs.fields(Config)
        if SETTING in field.metadata
    ]


def read_settings(path: Path, flags: Collection[str]) -> Settings:
    """The settings of a file, which may have these flags. Raises BadConfig."""
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadConfig(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadConfig(f"{path} is not TOML: {error}") from error
    tables = {
        "limits": ServerLimits,
        "http-limits": HttpLimits,
        "tending": Tending,
    }
    made = {key: _table(path, key, told.pop(key, {}), cls) for key, cls in tables.items()}
    for key, value in told.items():
        if key not in flags:
            known = ", ".join([*sorted(flags), *(f"[{table}]" for table in tables)])
            raise BadConfig(f"{path}: there is no setting {key}; there are {known}")
        items = value if type(value) is list else [value]
        if not all(type(item) in (str, int, bool) for item in items):
            raise BadConfig(f"{path}: {key} must be a text, a number, true or false, or a list")
    return Settings(told, made["limits"], made["http-limits"], made["tending"])


def _table(path: Path, name: str, told: Any, cls: type[L]) -> Any:
    if type(told) is not dict:
        raise BadConfig(f"{path}: {name} is a table; write [{name}] above its settings")
    known = {field.name: field.type for field in attrs.fields(cls)}
    values: dict[str, Any] = {}
    for key, value in told.items():
        if key not in known:
            raise BadConfig(f"{path}: [{name}] has no {key}; it has {', '.join(known)}")
        whole = known[key] in (int, "int")
        if type(value) not in ((int,) if whole else (int, float)) or not 0 < value < 10**12:
            kind = "a whole number" if whole else "a number"
            raise BadConfig(f"{path}: {key} in [{name}] must be {kind} above 0")
        values[key] = value if whole else float(value)
    return cls(**values)

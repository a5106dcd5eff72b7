"""Figures of a benchmark, for people or for programs."""

import json
from collections.abc import Mapping


def show(figures: Mapping[str, Mapping[str, float]], *, machine: bool) -> None:
    """Print figures by part and name: a line each, or as JSON."""
    if machine:
        print(json.dumps(figures))
        return
    for part, found in figures.items():
        print(part)
        for name, value in found.items():
            shown = f"{value:12.2f}" if isinstance(value, float) else f"{value:12}"
            print(f"  {name:28} {shown}")

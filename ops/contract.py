"""Writes protocol/messages.json anew: `python -m ops.contract`, after a message has changed."""

from pathlib import Path

from warledger.protocol.jsonform import contract_text

if __name__ == "__main__":
    file = Path(__file__).parents[1] / "protocol" / "messages.json"
    file.write_text(contract_text(), encoding="utf-8")

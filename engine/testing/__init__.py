"""What tests of a title, and tests of what plays titles, are made with. Nothing that runs a game
for people imports it.

For the author of a title:

- `rig.Rig`: any position in a few lines, queued dice, commands and refusals.
- `randomgames.play`: whole random games from a seed, with takebacks and requests.
- `laws.LAWS`: what holds for every title, tried on random games of a `laws.Case`.
- `skirmish`: a tiny title to start from; `warledger title new` writes a copy.

For whoever tests a store, a server or a client:

- `memory.MemoryStore`: a store that lasts as long as the process.
- `memorydisk.MemoryDisk`: a disk in memory that knows what a crash would leave of it.
- `ambient.SeededAmbient`: a world outside that a seed decides.
- `faulty.FaultyDisk`: a disk that fails, tears or waits at a chosen call.
"""

from warledger.engine.testing.fakeambient import SeededAmbient
from warledger.engine.testing.faulty import Call, Delayed, FaultyDisk, Killed
from warledger.engine.testing.laws import LAWS, Case
from warledger.engine.testing.memory import MemoryStore
from warledger.engine.testing.memorydisk import MemoryDisk
from warledger.engine.testing.randomgames import Played, begin, play, play_on, random_picks
from warledger.engine.testing.rig import QueuedChance, Rig

__all__ = [
    "Rig",
    "QueuedChance",
    "Played",
    "begin",
    "play",
    "play_on",
    "random_picks",
    "LAWS",
    "Case",
    "MemoryStore",
    "MemoryDisk",
    "SeededAmbient",
    "FaultyDisk",
    "Call",
    "Delayed",
    "Killed",
]

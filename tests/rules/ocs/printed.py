"""The tables of the series, copied a second time from the charts: what the pack's are held
against cell by cell. A line that begins with blanks goes on from the one before."""

COMBAT_COLUMNS = """
extremely_close: 1:2, 1:1, 2:1, 3:1, 4:1, 8:1, 12:1, 16:1, 20:1, 28:1, 36:1, 44:1, 52:1
very_close: 1:3, 1:2, 1:1, 2:1, 3:1, 4:1, 6:1, 9:1, 12:1, 15:1, 18:1, 21:1, 24:1
close: 1:4, 1:3, 1:2, 1:1, 2:1, 3:1, 4:1, 6:1, 8:1, 10:1, 12:1, 15:1, 18:1
open: 1:5, 1:4, 1:3, 1:2, 1:1, 2:1, 3:1, 4:1, 5:1, 7:1, 9:1, 11:1, 13:1
"""
"""OCS 9.9 The columns of each kind of terrain."""

COMBAT_ROWS = """
1: AL2, AL2, AL2, AL2, AL2, AL2, AL2, AL1o1, AL1o1 Do1, AL1o1 Do1, AL1 Do1, AL1 Do1, AL1 DL1o1
2: AL2, AL2, AL2, AL2, AL2, AL2, AL1o1, AL1o1 Do1, AL1o1 Do1, AL1 Do1, AL1 Do1, Ao1 DL1o1, Ao1
    DL1o1
3: AL2, AL2, AL2, AL2, AL2, AL1o1, AL1o1 Do1, AL1o1 Do1, AL1 Do1, AL1 Do1, Ao1 DL1o1, Ao1 DL1o1,
    Ao1 DL1o1
4: AL2, AL2, AL2, AL2, AL1o1, AL1o1 Do1, AL1o1 Do1, AL1 Do1, AL1 Do1, Ao1 Do1, Ao1 DL1o1, Ao1
    DL1o1, Ao1 e4 DL1o2
5: AL2, AL2, AL2, AL1o1, AL1o1 Do1, AL1o1 Do1, AL1 Do1, AL1 Do1, Ao1 Do1, Ao1 DL1o1, Ao1 DL1o1,
    Ao1 e4 DL1o2, Ae4 DL1o2
6: AL2, AL2, AL1o1, AL1o1 Do1, AL1o1 Do1, AL1 Do1, AL1 Do1, Ao1 Do1, Ao1 DL1o1, Ao1 DL1o1, Ao1
    DL1o1, Ae4 DL1o2, Ae4 DL1o2
7: AL1o1, AL1o1, AL1o1 Do1, AL1o1 Do1, AL1o1 Do1, AL1 Do1, Ao1 Do1, Ao1 DL1o1, Ao1 DL1o1, Ao1
    DL1o1, Ao1 e4 DL1o2, Ae4 DL1o2, Ae3 DL2o2DG
8: AL1o1, AL1o1 Do1, AL1o1 Do1, AL1o1 Do1, AL1 Do1, Ao1 Do1, Ao1 DL1o1, Ao1 DL1o1, Ao1 DL1o1,
    Ao1 e4 DL1o2, Ae4 DL1o2, Ae4 DL1o2, Ae3 DL2o2DG
9: AL1o1 Do1, AL1o1 Do1, AL1o1 Do1, AL1 Do1, Ao1 Do1, Ao1 Do1, Ao1 DL1o1, Ao1 DL1o1, Ao1 e4
    DL1o2, Ae4 DL1o2, Ae4 DL1o2, Ae3 DL2o2DG, Ae3 DL2o2DG
10: AL1o1 Do1, AL1o1 Do1, AL1 Do1, Ao1 Do1, Ao1 Do1, Ao1 DL1o1, Ao1 DL1o1, Ao1 e4 DL1o2, Ae4
    DL1o2, Ae4 DL1o2, Ae3 DL2o2DG, Ae3 DL2o2DG, Ae2 DL2o3DG
11: AL1o1 Do1, AL1 Do1, Ao1 Do1, Ao1 Do1, Ao1 DL1o1, Ao1 DL1o1, Ao1 DL1o1, Ae4 DL1o2, Ae4 DL1o2,
    Ae3 DL2o2DG, Ae3 DL2o2DG, Ae3 DL2o2DG, Ae2 DL2o3DG
12: AL1o1 Do1, Ao1 Do1, Ao1 Do1, Ao1 DL1o1, Ao1 DL1o1, Ao1 DL1o1, Ao1 e4 DL1o2, Ae4 DL1o2, Ae3
    DL2o2DG, Ae3 DL2o2DG, Ae3 DL2o2DG, Ae2 DL2o3DG, Ae2 DL2o3DG
13: Ao1 Do1, Ao1 Do1, Ao1 DL1o1, Ao1 DL1o1, Ao1 DL1o2, Ao1 e4 DL1o2, Ae4 DL1o2, Ae3 DL2o2DG, Ae3
    DL2o2DG, Ae3 DL2o2DG, Ae2 DL2o3DG, Ae2 DL2o3DG, Ae2 DL2o3DG
14: Ao1 Do1, Ao1 DL1o1, Ao1 DL1o1, Ao1 e4 DL1o2, Ao1 e4 DL1o2, Ae4 DL1o2, Ae3 DL2o2DG, Ae3
    DL2o2DG, Ae3 DL2o2DG, Ae2 DL2o3DG, Ae2 DL2o3DG, Ae2 DL2o3DG, Ae2 DL2o3DG
15: Ao1 DL1o1, Ao1 DL1o1, Ao1 e4 DL1o2, Ae4 DL1o2, Ae4 DL1o2, Ae3 DL2o2DG, Ae3 DL2o2DG, Ae2
    DL2o3DG, Ae2 DL2o3DG, Ae2 DL2o3DG, Ae2 DL2o3DG, Ae2 DL2o3DG, Ae2 DL2o3DG
"""
"""OCS 9.9 Modified dice, 1 and less to 15 and more."""

BARRAGE = """
2d6: <=1, 2, 3-4, 5-7, 8-11, 12-16, 17-24, 25-40, 41-68, 69-116, >=117
cost: 1T, 1T, 2T, 2T, 2T, 3T, 3T, 4T, 6T, 8T, 10T
2: -, -, -, -, -, -, -, -, -, DG, DG
3: -, -, -, -, -, -, -, -, DG, DG, DG
4: -, -, -, -, -, -, -, DG, DG, DG, DG
5: -, -, -, -, -, -, DG, DG, DG, DG, [1/2]
6: -, -, -, -, -, DG, DG, DG, DG, [1/2], [1/2]
7: -, -, -, -, DG, DG, DG, DG, [1/2], [1/2], 1/2
8: -, -, -, DG, DG, DG, DG, [1/2], [1/2], 1/2, 1/2
9: -, -, DG, DG, DG, [1/2], [1/2], [1/2], 1/2, 1/2, 1/2
10: -, DG, DG, DG, [1/2], [1/2], 1/2, 1/2, 1/2, 1, 1
11: DG, DG, DG, 1/2, 1/2, 1/2, 1/2, 1/2, 1, 1, 2
12: DG, 1/2, 1/2, 1/2, 1/2, 1, 1, 1, 1, 2, 3
"""
"""OCS 10.0a Columns, costs in T, results by dice."""

FACILITY = """
1d6: <=1, 2, 3-4, 5-10, 11-20, 21-40, 41-80, >=81
cost: 1T, 1T, 1T, 1T, 2T, 4T, 6T, 8T
1: -, -, -, -, -, -, (5), 1 (5)
2: -, -, -, -, -, (5), 1 (4), 1 (4)
3: -, -, -, -, (5), 1 (5), 1 (4), 1 (4)
4: -, -, -, * (6), 1 * (5), 1 * (4), 1 * (4), 2 * (4)
5: -, (6), * (6), 1 * (5), 1 * (4), 2 * (4), 2 * (4), 2 * (3)
6: (6), * (5), 1 * (5), 1 * (4), 1 * (4), 2 * (4), 2 * (3), 2 * (3)
"""
"""OCS 10.0c The same against facilities."""

CAPTURE = {
    "dump": (0, 25, 25, 50, 50, 75),
    "trucks": (0, 0, 25, 50, 50, 75),
    "wagons": (0, 0, 25, 50, 75, 100),
}
"""OCS 9.14b, 9.14c Per cent captured by a die of 1 to 6."""

ATTRITION = {
    5: ("2-8", "9-10", "11", "12", "13+"),
    4: ("2-7", "8-9", "10", "11", "12+"),
    3: ("2-5", "6-7", "8-9", "10-11", "12+"),
    2: ("2-3", "4-5", "6-7", "8-9", "10+"),
    1: ("2", "3-4", "5-6", "7-8", "9+"),
    0: ("-", "2-3", "4-5", "6-7", "8+"),
}
"""OCS 12.8b By AR: the dice that cost 0, 1, 2, 4 and all steps."""


def table(text: str) -> dict[str, tuple[str, ...]]:
    """The lines of a table by their first word."""
    joined = text.strip().replace("\n    ", " ")
    return {
        head: tuple(cell.strip() for cell in cells.split(","))
        for head, _, cells in (line.partition(": ") for line in joined.splitlines())
    }

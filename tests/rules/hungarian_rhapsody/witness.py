"""A second witness: the pack of Hungarian Rhapsody read and understood by other code than the engine's.

It loads the TOML itself and works out movement costs, zones and the supply trace of the clear weather
of a set-up in the plainest way, with fractions and sets of ids. It shares nothing with
`warledger.engine`. HQs bridge nothing here, and a step that costs the whole allowance is no way.
"""

# ruff: noqa: E501, E741, E731, PERF403, C420

import heapq
import tomllib
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).parents[3] / "engine" / "games" / "hungarian_rhapsody" / "pack"
INF = 10**6


class Grid:
    def __init__(g, spec):
        g.spec, g.cols, g.rows, g.odd = (
            spec,
            spec["columns"],
            spec["rows"],
            spec["shifted"] == "odd",
        )
        g.cr, g.ids = {}, {}
        for c in range(1, g.cols + 1):
            s = [s for s in spec["sheet"] if s["first_column"] <= c][-1]
            for r in range(1, g.rows + 1):
                i = spec["id"].format(sheet=s["name"], col=c - s["first_column"] + 1, row=r)
                g.cr[i], g.ids[c, r] = (c, r), i
        g.nb = {i: [n for n in g.neighbours(i) if n] for i in g.cr}

    def neighbours(g, i):
        """NE E SE SW W NW; None where the map ends."""
        c, r = g.cr[i]
        d = (r % 2 == 1) == g.odd
        u, v = (0, 1) if d else (-1, 0)
        return [
            g.ids.get(x)
            for x in [
                (c + v, r - 1),
                (c + 1, r),
                (c + v, r + 1),
                (c + u, r + 1),
                (c - 1, r),
                (c + u, r - 1),
            ]
        ]

    def distance(g, a, b):
        (c1, r1), (c2, r2) = g.cr[a], g.cr[b]
        q1, q2 = c1 - (r1 + (r1 & 1)) // 2, c2 - (r2 + (r2 & 1)) // 2
        return max(abs(q1 - q2), abs(r1 - r2), abs(q1 - q2 + r1 - r2))


def expand(text):
    """'A1.01..03 B2.05' -> list of hex ids."""
    out = []
    for t in text.split():
        a, _, b = t.partition("..")
        if b:
            row, c = a.split(".")
            out += [f"{row}.{k:02}" for k in range(int(c), int(b) + 1)]
        else:
            out.append(a)
    return out


def load(name):
    return tomllib.loads((HERE / name).read_text("utf-8"), parse_float=str)


def mp(x):
    """a cost as printed in tables.toml -> movement points: 0 or "no" = no entry (INF), "all" = the whole allowance (here: no way for a supply path)."""
    return INF if x in ("no", "all") else Fraction(x)


class Pack:
    def __init__(p):
        p.map, p.counters, p.tables, p.turns = (
            load(n + ".toml") for n in ("map", "counters", "tables", "turns")
        )
        m = p.map
        p.grid = g = Grid(m["grid"])
        p.terrain = {
            g.ids[c, r]: m["terrain"]["legend"][ch]
            for r, line in enumerate(m["terrain"]["rows"], 1)
            for c, ch in enumerate(line, 1)
        }
        p.place = {q["hex"]: q for q in m["places"]["list"]}
        p.river = {
            frozenset(s.split("-")): (r["class"], r["name"])
            for r in m["river"]
            for s in r["hexsides"].split()
        }
        lk = lambda k: {
            frozenset(x) for l in m[k] for h in [l["hexes"].split()] for x in pairwise(h)
        }
        p.rail, p.road, p.track = lk("rail"), lk("road"), lk("track")
        p.danube_bridges = {frozenset(s.split("-")) for s in m["bridges"]["danube"].split()}
        p.area = {a["id"]: set(expand(a["hexes"])) for a in m["area"]}
        p.entry = {e["id"]: e for e in m["entry"]}
        p.box = {b["id"]: b for b in m["box"]}
        p.unit = {u["id"]: {**u, **u["sides"]} for u in p.counters["units"]}
        p.air = {a["id"]: a for a in p.counters["aircraft"]}
        p.marker = {x["id"]: x for x in p.counters["markers"]}
        p.mph = {
            h: (x["name"], h in x["black"].split())
            for x in m["printed_hedgehogs"]
            for h in x["hexes"].split()
        }
        p.scenario_names = sorted(f.stem[9:] for f in HERE.glob("scenario_*.toml"))

    def hexcost(p, h, mob):
        q = p.place.get(h)
        if q and p.tables["place"][q["kind"]]["mode"] == "replaces":
            return mp(p.tables["place"][q["kind"]]["move_" + mob])
        return mp(p.tables["terrain"][p.terrain[h]]["move_" + mob] or "no")

    def no_entry(p, h, mob):
        """whether a hex is never entered off paths, not even for the whole allowance."""
        q = p.place.get(h)
        if q and p.tables["place"][q["kind"]]["mode"] == "replaces":
            return p.tables["place"][q["kind"]]["move_" + mob] in (0, "no")
        return p.tables["terrain"][p.terrain[h]]["move_" + mob] in (0, "no")

    def step(p, a, b, mob, pontoon=(), axis_bridges=(), moving=False):
        """movement points from a to the neighbour b (clear weather; 'All' counts as no way)."""
        s, T = frozenset((a, b)), p.tables
        riv = p.river.get(s)
        dan = riv and riv[0] == "danube"
        bridged = dan and (a in pontoon or b in pontoon or s in axis_bridges)
        best = INF
        if not dan or bridged:
            for links, k in ((p.road, "road"), (p.track, "track"), (p.rail, "rail")):
                if s in links:
                    best = min(best, mp(T["path"][k]["move_" + mob]))
        cost = p.hexcost(b, mob)
        if moving and p.no_entry(a, mob):
            return best  # 6.1d: what cannot be entered is left along a path alone
        if riv:
            k = "danube_pontoon" if dan and bridged and (a in pontoon or b in pontoon) else riv[0]
            cost += mp(T["hexside"][k]["extra_" + mob])
            if riv[0] == "major" and (a in pontoon or b in pontoon):
                cost = p.hexcost(b, mob) + mp(T["hexside"]["minor"]["extra_" + mob])
            if riv[0] == "minor" and (a in pontoon or b in pontoon):
                cost = p.hexcost(b, mob)
        return min(best, cost)


COMBAT = ("armor", "mech", "other", "hq")


def is_combat(u):
    return u["cls"] in COMBAT


def has_zoc(u, mode):
    """attack-capable and in combat mode (4.4, 4.5)."""
    return (
        u["cls"] in ("armor", "mech", "other")
        and u["type"] != "artillery"
        and not u.get("paren")
        and mode == "combat"
    )


class Scenario:
    def __init__(s, p, name):
        s.p, s.name, s.d = p, name, load("scenario_" + name + ".toml")
        g, d = p.grid, s.d
        s.control = {
            g.ids[c, r]: d["control"]["legend"][ch]
            for r, line in enumerate(d["control"]["rows"], 1)
            for c, ch in enumerate(line, 1)
        }
        s.play = {h for h, c in s.control.items() if c != "out of play"}
        s.at = {i: h for h, ids in d["on_map"].items() for i in ids.split()}
        s.stack = {h: ids.split() for h, ids in d["on_map"].items()}
        s.mode = {i: "combat" for i in s.at} | {
            i: k for k, ids in d["mode"].items() for i in ids.split()
        }
        s.lost = d["steps_lost"]
        s.markers = {m["id"]: m["at"] for m in d.get("marker", [])}
        s.source = [
            (x["side"], s.markers[x["marker"]] if "marker" in x else x["hex"], x["name"])
            for x in d.get("source", [])
        ]
        s.side = {h: p.unit[ids[0]]["side"] for h, ids in s.stack.items()}
        s.zoc = {"axis": set(), "soviet": set()}
        for i, h in s.at.items():
            if has_zoc(p.unit[i], s.mode[i]):
                s.zoc[p.unit[i]["side"]] |= {h, *g.nb[h]}
        s.own = {
            sd: {
                h
                for h, ids in s.stack.items()
                if s.side[h] == sd and any(is_combat(p.unit[i]) for i in ids)
            }
            for sd in s.zoc
        }
        s.pontoon = {
            sd: {
                h
                for i, h in s.at.items()
                if p.unit[i]["type"] == "pontoon"
                and p.unit[i]["side"] == sd
                and s.mode[i] == "combat"
            }
            for sd in s.zoc
        }
        red = s.own["soviet"] | {n for h in s.own["soviet"] for n in g.nb[h]}
        s.axis_bridges = {
            b for b in p.danube_bridges if not b & red
        }  # 1.4a: lost when a Soviet unit is adjacent

    def re(s, h):
        """quarters of an RE in a hex."""
        return sum(
            s.p.unit[i]["re"] - (4 * s.lost.get(i, 0) if s.p.unit[i]["steps"] > 1 else 0)
            for i in s.stack.get(h, [])
        )

    def blocked(s, side, h, mob):
        foe = "soviet" if side == "axis" else "axis"
        return h in s.own[foe] or h not in s.play or s.p.terrain[h] == "lake"

    def ezoc(s, side, h):
        """un-negated enemy zone (4.5b)."""
        return h in s.zoc["soviet" if side == "axis" else "axis"] and h not in s.own[side]

    def reach(s, side, start, mob, limit):
        """hexes within `limit` MP of start for a supply path (12.3): no enemy combat units; Truck paths not into or out of un-negated EZOC."""
        best, q = {start: 0}, [(0, start)]
        while q:
            d, h = heapq.heappop(q)
            if d > best[h]:
                continue
            if mob == "truck" and s.ezoc(side, h):
                continue
            for n in s.p.grid.nb[h]:
                if s.blocked(side, n, mob):
                    continue
                if mob == "truck" and s.ezoc(side, n):
                    continue
                e = d + s.p.step(
                    h, n, mob, s.pontoon[side], s.axis_bridges if side == "axis" else ()
                )
                if e <= limit and e < best.get(n, INF):
                    best[n] = e
                    heapq.heappush(q, (e, n))
        return best

    def throw(s, hq):
        return s.p.unit[hq]["combat"][0]  # every HQ of a set-up shows its Combat side

    def builds(s, hq):
        return s.mode[hq] == "combat"  # 13.8, 13.8c

    def sources(s, side):
        p, d, out = s.p, s.d, {}
        foe = "soviet" if side == "axis" else "axis"
        ok = lambda h: (
            h in s.play and s.control[h] == side and h not in s.own[foe] and not s.ezoc(side, h)
        )
        for sd, h, name in s.source:
            if sd == side and ok(h):
                out[h] = name
        if (
            side == "soviet"
        ):  # every front marker is one, whether the scenario names it or not (3.1c)
            for m in d.get("marker", []):
                if m["id"].startswith("marker.front.") and m["at"] in p.grid.cr and ok(m["at"]):
                    out[m["at"]] = m["id"]
        if side == "axis" or s.name in (
            "campaign",
            "debrecen",
        ):  # the small scenarios name the Soviet sources at the rim of their play area
            for e in p.entry.values():
                if e["side"] in (side, "shared") and e["from_turn"] <= d["scenario"]["first_turn"]:
                    for h in e["hexes"].split():
                        if ok(h):
                            out[h] = e["name"]
        if side == "axis":  # detrainable hexes on a free railway (13.3c, 1.1d)
            adj = {}
            for l in p.rail:
                if (
                    p.river.get(l, ("",))[0] == "danube"
                    and l not in s.axis_bridges
                    and not l & s.pontoon["axis"]
                ):
                    continue
                a, b = tuple(l)
                adj.setdefault(a, []).append(b)
                adj.setdefault(b, []).append(a)
            st, seen = [h for h in out if h in adj], set()
            while st:
                h = st.pop()
                if h in seen or not ok(h):
                    continue
                seen.add(h)
                st += adj[h]
            hq = {
                h
                for i, h in s.at.items()
                if p.unit[i]["type"] == "hq" and p.unit[i]["side"] == side and s.builds(i)
            }
            for h in seen:
                if h in p.place or h in hq:
                    out[h] = "railway " + (p.place[h]["name"] if h in p.place else "HQ")
                elif len(p.grid.nb[h]) < 6:
                    out[h] = "railway at the edge"
        else:  # special wagon extenders: 10 Leg MP from a source or another (3.1e, 12.7)
            swe = [
                m["at"]
                for m in d.get("marker", [])
                if m["id"] == "marker.swe" and m["at"] in p.grid.cr
            ]
            again = True
            while again:
                again = False
                for h in swe:
                    if h not in out and ok(h):
                        r = s.reach(side, h, "leg", 10)
                        if any(x in r or any(n in r for n in p.grid.nb[x]) for x in out):
                            out[h] = "SWE"
                            again = True
        return out

    def trace(s, side):
        """unit id -> how it traces (direct, HQ id) or None."""
        p, g = s.p, s.p.grid
        src = s.sources(side)
        near = set(src) | {n for h in src for n in g.nb[h]}
        draw, res, throw = {}, {}, {}
        for i, h in s.at.items():
            u = p.unit[i]
            if u["side"] == side and u["type"] == "hq" and s.mode[i] != "strat":
                r = s.reach(side, h, u["throw_mob"], 5)
                if any(x in near for x in r):
                    t = s.reach(side, h, u["throw_mob"], s.throw(i))
                    throw[i] = set(t) | {n for x in t for n in g.nb[x]}
        s.hq_linked = {side: sorted(throw)} | getattr(s, "hq_linked", {})
        for i, h in s.at.items():
            u = p.unit[i]
            if u["side"] != side or not is_combat(u):
                continue
            if i in throw:
                res[i] = "own draw"
                continue
            hqs = [k for k in throw if h in throw[k] and may_use(u, p.unit[k])]
            if hqs:
                res[i] = hqs[0]
                continue
            if h not in draw:
                draw[h] = any(x in near for x in s.reach(side, h, "truck", 5))
            res[i] = "direct" if draw[h] else None
        s.src = {side: src} | getattr(s, "src", {})
        return res


def may_use(u, hq):
    """3.4a: Soviet (and Czech) units use Soviet HQs, Romanians Romanian, Yugoslavs Yugoslav; 4.0d is optional and not applied."""
    fam = lambda n: {"romanian": "ro", "yugoslav": "yu"}.get(n, "x")
    return fam(u["nation"]) == fam(hq["nation"])

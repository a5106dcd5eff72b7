// @ts-check
/** How the page is dressed for a broadcast: the parts that its address names, and the games of a wall. */

/** What may be left out or kept by `parts=` in the address. */
const PARTS = ["score", "turn", "name", "clocks", "board", "card", "story"];
const WALL_MOST = 16;

/** What an overlay shows unless its address names something else: what stands over a picture of the players. */
const OVERLAY = "score,turn,name,clocks,card";

/**
 * Which section of the page its address names, of what, and what it asks for besides. /overlay/ID is another name for a game's broadcast over nothing, for programs that mix pictures.
 * @returns {{section: string, id: string, asked: URLSearchParams}}
 */
export function addressed() {
  const [, section, named] = location.pathname.split("/");
  const asked = new URLSearchParams(location.search);
  const id = named ? decodeURIComponent(named) : "";
  if (section !== "overlay" || !id) return { section: section === "overlay" ? "" : section, id, asked };
  for (const [key, value] of [
    ["view", "cast"],
    ["parts", asked.get("parts") ?? OVERLAY],
    ["transparent", asked.get("transparent") ?? "1"],
  ])
    asked.set(key, value);
  return { section: "game", id, asked };
}

/** Dress the page for a broadcast, or undress it. @param {URLSearchParams} asked of the address @param {boolean} cast */
export function dress(asked, cast) {
  const { classList } = document.body;
  classList.toggle("cast", cast);
  classList.toggle("see-through", cast && asked.get("transparent") === "1");
  for (const one of ["cast", "see-through"]) document.documentElement.classList.toggle(one, classList.contains(one));
  const wanted = asked.get("parts")?.split(",");
  for (const part of PARTS) classList.toggle(`without-${part}`, cast && Boolean(wanted) && !wanted?.includes(part));
}

/** The games that a wall's address names. @param {URLSearchParams} asked */
export const gamesOf = (asked) =>
  [
    ...new Set(
      (asked.get("games") ?? "")
        .split(",")
        .map((id) => id.trim())
        .filter((id) => /^[a-z0-9_-]{1,64}$/.test(id)),
    ),
  ].slice(0, WALL_MOST);

// @ts-check
/** What a page draws at most: the same bounds as in protocol/limits.py, which a test compares. A few bytes can ask for a great deal. */

export const HEXES_MAX = 40_000;
export const HEX_ID_CHARS_MAX = 32;
export const MAP_SHEETS_MAX = 64;
export const BOARD_PIECES_MAX = 8_192;
export const BOARD_MARKS_MAX = 16_384;
export const BOARD_TRACKS_MAX = 1_024;
export const SPANS_OPEN_MAX = 64;

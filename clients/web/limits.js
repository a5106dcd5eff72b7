// @ts-check
/** The most that a page draws: the same limits as in protocol/limits.py, which a test compares. A few bytes can ask for a great deal. */

export const COMMAND_ID_BYTES_MAX = 32;
export const PICKS_MAX = 512;
export const ORDERS_BYTES_MAX = 4_096;
export const SIDES_MAX = 4_294_967_296;
export const LINKS_MAX = 65_536;
export const DELAY_S_MAX = 86_400;
export const DELAY_TURNS_MAX = 64;
export const HEXES_MAX = 40_000;
export const NAME_CHARS_MAX = 64;
export const TEXT_CHARS_MAX = 4096;
export const PLACE_NEIGHBOURS_MAX = 64;
export const PIECE_FACES_MAX = 16;
export const DESCRIBED_MAX = 4_096;
export const BOARD_PIECES_MAX = 8_192;
export const BOARD_MARKS_MAX = 16_384;
export const BOARD_TRACKS_MAX = 1_024;
export const SPANS_OPEN_MAX = 64;

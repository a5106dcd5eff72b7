// @ts-check
/** The bounds that this page keeps: those of protocol/limits.py, which a test compares. What it draws is bounded too, since a few bytes can ask for a great deal. */

export const FRAME_BYTES_MAX = 4_194_304;
export const PARTS_BYTES_MAX = 33_554_432;
export const PARTS_FRAMES_MAX = 262_144;
export const COMMAND_ID_BYTES_MAX = 32;
export const PICKS_MAX = 512;
export const ORDERS_BYTES_MAX = 4_096;
export const SEATS_MAX = 64;
export const SIDES_MAX = 4_294_967_296;
export const LINKS_MAX = 65_536;
export const DELAY_S_MAX = 86_400;
export const DELAY_TURNS_MAX = 64;
export const NESTING_LEVELS_MAX = 16;
export const KEYS_OF_A_SEAT_MAX = 8;
export const CLOCK_MS_MAX = 34_560_000_000;
export const NIGHT_HOURS_MAX = 10;
export const LEAVES_MAX = 64;
export const CLAIMS_OPEN_MAX = 3;
export const CLAIMS_MAX = 200;
export const CLAIMS_STOPPING_MAX = 3;
export const CLAIM_CHARS_MAX = 2_000;
export const CLAUSE_CHARS_MAX = 200;
export const REMEDIES_MAX = 16;
export const LINE_CHARS_MAX = 500;
export const MARK_CHARS_MAX = 200;
export const HEXES_MAX = 40_000;
export const NAME_CHARS_MAX = 64;
export const PERSON_ID_CHARS_MAX = 59;
export const TEXT_CHARS_MAX = 4096;
export const PLACE_NEIGHBOURS_MAX = 64;
export const PIECE_FACES_MAX = 16;
export const DESCRIBED_MAX = 4_096;
export const BOARD_PIECES_MAX = 8_192;
export const BOARD_MARKS_MAX = 16_384;
export const BOARD_TRACKS_MAX = 1_024;
export const SPANS_OPEN_MAX = 64;

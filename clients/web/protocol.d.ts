// Written by `python -m ops.pagetypes` from the classes of protocol/. Change those.

export type Pick = string | number;
export type Picks = Pick[];
/** The arguments of a sentence: a name and a value each. */
export type Arguments = [string, any][];
/** A seat or the server by name, or an arbiter. */
export type Actor = string | [id: string, name: string];
/** A standing answer: the first of these that is on offer is given. */
export type StandingArray = [prompt: string, answers: Picks[], until: "turn" | "game"];
/** A seat that is asked, the record that asked it, and the key of the prompt. */
export type Question = [seat: string, seq: number, prompt: string];

export type SayArray = [key: string, args: Arguments, rule: string];

export type RefusalArray = [rule: string, key: string, args: Arguments];

export type OptionArray = [id: Pick, label: SayArray | null];

export type ChoicesArray = [slot: string, options: (Pick | OptionArray)[], span: [number, number] | null, complete: boolean, sealed: boolean, text?: number];

export type HeadArray = [game: string, seq: number, hash: Uint8Array, signature: Uint8Array];

export type ByArray = [key: Uint8Array, n: number, seen: Uint8Array, signature: Uint8Array];

export type ByOrdersArray = [orders: number, entry: number, alternative: number];

export type OpeningArray = [seq: number, path: number[], salt: Uint8Array, value: any];

export interface Say {
  key: string;
  args: [string, any][];
  rule: string;
}

export interface Option {
  id: Pick;
  label: SayArray | null;
}

export interface Choices {
  slot: string;
  options: Option[];
  span: [number, number] | null;
  complete: boolean;
  sealed: boolean;
  text: number;
}

export interface Head {
  game: string;
  seq: number;
  hash: Uint8Array;
  signature: Uint8Array;
}

export interface By {
  key: Uint8Array;
  n: number;
  seen: Uint8Array;
  signature: Uint8Array;
}

export interface ByOrders {
  orders: number;
  entry: number;
  alternative: number;
}

export interface End {
  winner: string | null;
  reason: SayArray;
  links: [number, Uint8Array][];
  hidden: Uint8Array;
  salts: Uint8Array;
  scores: [string, number][];
  by: string;
}

export interface Piece {
  place: string;
  face: any;
  owner: string;
}

export interface Control {
  bank: number;
  turn: number;
  each: number;
  cap: number;
  free: number;
  free_turn: number;
  fall: string;
  bot: string;
  nights: number;
  leave_days: number;
  leave_each: number;
  notice: number;
  handicap: Record<string, Record<string, number>>;
}

export interface Grid {
  columns: number;
  rows: number;
  orientation: string;
  shifted: string;
}

export interface Terrain {
  id: string;
  sign: string;
  zone: boolean;
}

export interface Place {
  id: string;
  at: [number, number];
  near: number[];
  terrain: string;
  name: string;
  site: string;
  group: string;
  great: boolean;
  owner: string;
  printed: ([string, string, number | null])[];
  origin: string;
}

export interface River {
  kind: string;
  sides: [number, number, boolean][];
  name: string;
}

export interface Line {
  kind: string;
  places: number[];
  name: string;
}

export interface Area {
  id: string;
  kind: string;
  places: number[];
  name: string;
  side: string;
  origin: string;
  to_turn: number | null;
}

export interface Source {
  id: string;
  side: string;
  place: number;
  name: string;
  from_turn: number;
  origin: string;
}

export interface Box {
  id: string;
  name: string;
  side: string;
  out: boolean;
  origin: string;
  lost: boolean;
  arrival: number | null;
}

export interface Track {
  id: string;
  first: number | null;
  last: number | null;
}

export interface Face {
  face: string;
  print: string;
  values: [string, number][];
  steps: number;
  nation: string;
  zone: boolean;
}

export interface DescribedPiece {
  id: string;
  name: string;
  side: string;
  kind: string;
  type: string;
  nation: string;
  symbol: string;
  zone: boolean;
  faces: Face[];
  group: string;
  origin: string;
  arrives: number | null;
}

export interface Symbol {
  id: string;
  code: string;
  label: string;
  box: string;
  paths: string[];
}

export interface Tally {
  side: string;
  track: string;
  sign: number;
  places: [number, number][];
  lacking: [number, number][];
  wins: number | null;
}

export interface Condition {
  key: string;
  args: [string, any][];
}

export interface Scoring {
  told: string;
  unit: string;
  tallies: Tally[];
  conditions: Condition[];
}

export interface Results {
  dice: number;
  faces: number;
  first: number;
  heads: [string, string[]][];
  rows: string[][];
  codes: [string, number, number, number, number][];
  choose: boolean;
  also: [string, Condition[]][];
}

export interface Hits {
  purpose: string;
  unit: string;
  worth: number[];
}

export interface Description {
  kind: string;
  form: number;
  sides: string[];
  grid: Grid | null;
  chart: string;
  legend: string;
  terrains: Terrain[];
  places: Place[];
  rivers: River[];
  lines: Line[];
  areas: Area[];
  sources: Source[];
  boxes: Box[];
  tracks: Track[];
  pieces: DescribedPiece[];
  symbols: Symbol[];
  names: Record<string, string>;
  origins: Record<string, string>;
  questions: string[];
  scoring: Scoring | null;
  results: Results | null;
  hits: Hits[];
  zoneless: string[];
  cut: string[];
}

/** The body of each kind of record. */
export interface Bodies {
  genesis: [format: number, game: string, title: string, version: string, digest: Uint8Array, options: Record<string, any>, seats: string[], pack: Uint8Array, pack_digest: Uint8Array, chain: Uint8Array, hidden: Uint8Array, salts: Uint8Array, server_key: Uint8Array, terms: Record<string, any>, parent: null];
  seat:
    | [what: "taken", seat: string, account: string, name: string, nonce_hash: Uint8Array, client: string, by: ByArray]
    | [what: "nonce", seat: string, nonce: Uint8Array, roster: Uint8Array, by: ByArray]
    | [what: "replaced", seat: string, account: string, name: string, client: string, by: ByArray, handed: ByArray | []]
    | [what: "device", seat: string, key: Uint8Array, proof: Uint8Array, by: ByArray]
    | [what: "revoked", seat: string, key: Uint8Array, by: ByArray];
  command: [decision: number, seat: string, picks: any, id: Uint8Array, by: ByArray | ByOrdersArray | [], draws: any[][], events: any[][], effects: Uint8Array, opened: any[][], flow: any[], awaits: Question[], digest: Uint8Array];
  ask: [seat: string, what: string, to: number, by: ByArray];
  answer: [seat: string, consents: boolean, ask: number, by: ByArray];
  takeback: [seat: string, to: number, effects: Uint8Array, awaits: Question[], ask: number, by: ByArray | []];
  open: [epoch: number, link: Uint8Array];
  end: [winner: string | null, reason: string, args: Arguments, links: [epoch: number, link: Uint8Array][], hidden: Uint8Array, salts: Uint8Array, rule: string, scores: [seat: string, points: number][], by: string];
  orders: [seat: string, sealed: any, digest: Uint8Array, by: ByArray];
  rotate: [key: Uint8Array, signature: Uint8Array];
  reveal: [opened: any[][], last: boolean];
  clock:
    | [what: "flag", seat: string, deadline_ms: number, left: number]
    | [what: "pause", seats: string[], until_ms: number]
    | [what: "resume", seat: string, by?: ByArray]
    | [what: "credit", seat: string, ms: number, why: string, args: any[], by?: ByArray]
    | [what: "outage", from_ms: number, to_ms: number]
    | [what: "leave", seat: string, from_ms: number, to_ms: number, by?: ByArray]
    | [what: "night", seat: string, start_min: number, length_min: number, by?: ByArray];
  ruling:
    | [what: "claim", n: number, seat: string, at_seq: number, clause: string, text: string, by?: ByArray]
    | [what: "heard", n: number]
    | [what: "looked", audience: string, from_seq: number, to_seq: number]
    | [what: "frozen", n: number]
    | [what: "said", n: number, text: string, by?: ByArray]
    | [what: "ruled", n: number, finding: string, clause: string, text: string, remedies: any[][]]
    | [what: "corrected", n: number, picks: any[], events: any[][], effects: Uint8Array, opened: any[][]]
    | [what: "appeal", n: number, text: string, by?: ByArray]
    | [what: "thawed", n: number]
    | [what: "withdrawn", n: number, by?: ByArray]
    | [what: "waived", seat: string, by?: ByArray];
}

/** A record whose body has the form of its kind, as that of every record that was verified. */
export type Recorded = { [Kind in keyof Bodies]: { kind: Kind; body: Bodies[Kind] } }[keyof Bodies];

/** The fields of each message behind its request's number. */
export interface Messages {
  challenge: [];
  challenge_is: [nonce: Uint8Array];
  sign_in: [way: "password" | "link", handle: string, proof: string, device: string, keep: boolean];
  sign_in_key: [key: Uint8Array, signature: Uint8Array, device: string, keep: boolean];
  sign_up: [invitation: string, handle: string, password: string, language: string, device: string, keep: boolean];
  signed_in: [account: string, handle: string, token: string];
  account: [];
  account_is: [account: Record<string, any>];
  change_account: [what: "password" | "language" | "zone" | "key" | "drop_key" | "drop_device" | "drop_devices" | "drop_seat" | "channel" | "telling" | "mail" | "mail_notices" | "push" | "test_channel" | "calendar" | "invitation" | "sign_out" | "forget", value: any, password: string];
  my_games: [];
  invite: [note: string, days: number, uses: number];
  invitation: [code: string, until_ms: number];
  mail: [what: "link" | "confirm" | "stop", text: string];
  mail_done: [];
  mark: [game: string, at: number, kind: "arrow" | "ring" | "note", places: [string][], text: string];
  unmark: [game: string, n: number];
  marked: [n: number];
  correctable: [game: string, claim: number, back: number, before: any, picks: Picks];
  try_ruling: [game: string, body: any, corrections: any];
  ruling_is: [game: string, seq: number, records: any, stands: any];
  talk: [game: string, room: "players" | "spectators", after: number];
  talk_is: [game: string, room: "players" | "spectators", shut: boolean, may: [string][], lines: [number, number, string, string, string, boolean][], removed: [number][]];
  say: [game: string, room: "players" | "spectators", seat: string, text: string];
  said: [n: number];
  talk_act: [game: string, room: "players" | "spectators", what: "report" | "remove" | "mute" | "unmute" | "shut" | "open", n: number];
  tournaments: [];
  tournament_list: [tournaments: Record<string, any>[]];
  tournament: [game: string];
  tournament_is: [game: string, seq: number, mine: [string][], told: any];
  check_charter: [charter: string];
  charter_is: [good: boolean, findings: [string, string, string, string][], words: any];
  open_tournament: [game: string, director: string, charter: string];
  tournament_opened: [game: string, seat: string, token: string];
  enter_tournament: [game: string, name: string, rating: number, expects: number, nonce_hash: Uint8Array, token: Uint8Array];
  entered: [game: string, number: number, head: HeadArray];
  show_nonce: [game: string, number: number, nonce: Uint8Array];
  tournament_token: [game: string, seat: string];
  tournament_code: [game: string, role: "director" | "arbiter" | "caster" | "entrant"];
  tournament_seat: [game: string, seat: string, round: number, board: number];
  tournament_paper: [game: string, kind: string, round: number, language: string];
  paper_is: [kind: string, body: Uint8Array];
  hello: [version: number, client: string];
  welcome: [version: number, server: string, key: Uint8Array, limits: Record<string, number>, titles: [string, string][]];
  login: [token: string, name: string];
  logged_in: [principal: string, roles: [string, string, string][]];
  ping: [];
  pong: [at_ms: number];
  error: [code: string, say: SayArray, fatal: boolean];
  goodbye: [say: SayArray];
  titles: [];
  title_list: [titles: Record<string, any>[]];
  create_game: [title: string, options: Record<string, any>, delay_s: number];
  created: [game: string, tokens: [string, string][]];
  open_game: [title: string, options: Record<string, any>, terms: Record<string, any>];
  practice: [title: string, seat: string];
  new_token: [game: string, seat: string];
  token: [game: string, seat: string, token: string];
  replace: [game: string, seat: string, name: string];
  close_game: [game: string];
  rule: [game: string, body: any, corrections: any];
  choices_at: [game: string, seat: string, at_seq: number, picks: Picks];
  games: [stage: "" | "gathering" | "playing" | "ended", after: string, most: number];
  game_list: [games: Record<string, any>[], more: boolean];
  head: [game: string];
  head_of: [game: string, seq: number];
  head_is: [head: HeadArray];
  subscribe: [game: string, after_seq: number, audience: string];
  subscribed: [game: string, audience: string, last_seq: number];
  unsubscribe: [game: string, audience: string];
  unsubscribed: [game: string, audience: string];
  records: [game: string, audience: string, first_seq: number, items: [Uint8Array, Uint8Array][]];
  view: [game: string, audience: string, at_seq: number];
  view_is: [game: string, audience: string, seq: number, effects: any[][]];
  board: [game: string];
  board_is: [game: string, title: string, description: any];
  catalogue: [language: string];
  catalogue_is: [language: string, phrases: Record<string, string>];
  choices: [game: string, seat: string, picks: Picks];
  choices_are: [game: string, decision: number, prompt: SayArray, choices: ChoicesArray];
  preview: [game: string, seat: string, picks: Picks];
  preview_is: [says: SayArray[]];
  submit: [game: string, seat: string, decision: number, seen: Uint8Array, picks: Picks, command_id: Uint8Array];
  accepted: [game: string, seq: number, head: HeadArray, again: boolean];
  refused: [refusal: RefusalArray];
  act: [game: string, seat: string, kind: "taken" | "nonce" | "command" | "ask" | "answer" | "orders" | "device" | "revoked" | "replaced" | "handed" | "clock" | "ruling", key: Uint8Array, n: number, seen: Uint8Array, body: any, signature: Uint8Array, private: any];
  declined: [refusal: RefusalArray, act: Uint8Array, seq: number, hash: Uint8Array, signature: Uint8Array];
  witness: [game: string, seat: string, key: Uint8Array, seq: number, hash: Uint8Array, signature: Uint8Array];
  witnessed: [game: string];
  witnesses: [game: string];
  witnesses_are: [game: string, items: [string, Uint8Array, number, Uint8Array, Uint8Array][]];
  standing: [game: string, seat: string];
  standing_is: [game: string, seat: string, orders: StandingArray[]];
}

/** The fields of a message behind the game. */
export type BehindGame<T extends keyof Messages> = Messages[T] extends [game: string, ...infer Rest]
  ? Rest
  : never;
/** The fields of a message behind the game, and the seat or room in it. */
export type BehindPlace<T extends keyof Messages> =
  Messages[T] extends [game: string, place: any, ...infer Rest] ? Rest
  : never;

/** What answers each request, if it is not refused. */
export interface Answers {
  challenge: Messages["challenge_is"];
  sign_in: Messages["signed_in"];
  sign_in_key: Messages["signed_in"];
  sign_up: Messages["signed_in"];
  account: Messages["account_is"];
  change_account: Messages["account_is"];
  my_games: Messages["game_list"];
  invite: Messages["invitation"];
  mail: Messages["mail_done"];
  mark: Messages["marked"];
  unmark: Messages["marked"];
  correctable: Messages["choices_are"];
  try_ruling: Messages["ruling_is"];
  talk: Messages["talk_is"];
  say: Messages["said"];
  talk_act: Messages["said"];
  tournaments: Messages["tournament_list"];
  tournament: Messages["tournament_is"];
  check_charter: Messages["charter_is"];
  open_tournament: Messages["tournament_opened"] | Messages["charter_is"];
  enter_tournament: Messages["entered"];
  show_nonce: Messages["accepted"];
  tournament_token: Messages["token"];
  tournament_code: Messages["invitation"];
  tournament_seat: Messages["token"];
  tournament_paper: Messages["paper_is"];
  hello: Messages["welcome"];
  login: Messages["logged_in"];
  ping: Messages["pong"];
  titles: Messages["title_list"];
  create_game: Messages["created"];
  open_game: Messages["created"];
  practice: Messages["created"];
  new_token: Messages["token"];
  replace: Messages["token"];
  close_game: Messages["accepted"];
  rule: Messages["accepted"];
  choices_at: Messages["choices_are"];
  games: Messages["game_list"];
  head: Messages["head_is"];
  head_of: Messages["head_is"];
  subscribe: Messages["subscribed"];
  unsubscribe: Messages["unsubscribed"];
  view: Messages["view_is"];
  board: Messages["board_is"];
  catalogue: Messages["catalogue_is"];
  choices: Messages["choices_are"];
  preview: Messages["preview_is"];
  submit: Messages["accepted"];
  act: Messages["accepted"];
  witness: Messages["witnessed"];
  witnesses: Messages["witnesses_are"];
  standing: Messages["standing_is"];
}

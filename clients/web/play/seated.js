// @ts-check
/** What a page of a game needs only for those who play, rule or cast in it, or once there is a claim: it is loaded then, all of it at once. */

import { Claims } from "../desk/claims.js";
import { Drag } from "../board/drag.js";
import { Hand } from "./hand.js";
import { Play } from "./play.js";

export const seated = { Claims, Drag, Hand, Play };

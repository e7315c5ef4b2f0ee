// Owns what both sides derive from a sealed link: the ticket that the relay gets, the key of the
// handshake, and the prologue that binds a handshake to its room. Pure; see crypto-steps.ts.

import { toBytes } from "../text.ts";
import type { Bytes } from "./bytes.ts";
import type { Steps } from "./crypto-steps.ts";
import type { SealedLink } from "./link.ts";
import { toBase62 } from "./link.ts";

const SALT = toBytes("pairpty link 2");
const KEY_BYTES = 32;
/** The secret of a ticket has as many characters as that of a plain token, so relays accept it. */
const TICKET_SECRET_LENGTH = 32;

export interface LinkKeys {
  /** `pp_<id>_<auth>`: admits to the room, and opens nothing in the bridge. */
  readonly ticket: string;
  /** Pre-shared key of the handshake. The relay cannot derive it from the ticket. */
  readonly psk: Bytes;
}

/** Derives a link's ticket and psk; another workspace or id gives other ones. */
export function* deriveLinkKeys(
  { id, secret }: Pick<SealedLink, "id" | "secret">,
  workspace: string,
): Steps<never, LinkKeys> {
  const derive = (label: string) =>
    ({
      op: "hkdf",
      salt: SALT,
      ikm: toBytes(secret),
      info: toBytes(`${label}\n${workspace}\n${id}`),
      length: KEY_BYTES,
    }) as const;
  const auth = toBase62(yield derive("auth")).slice(-TICKET_SECRET_LENGTH);
  return { ticket: `pp_${id}_${auth}`, psk: yield derive("psk") };
}

export interface RoomBinding {
  readonly workspace: string;
  /** Origin under which the page reaches the relay, such as `https://relay.example.com`. */
  readonly origin: string;
  /** The grant's id. */
  readonly id: string;
}

/** Returns the prologue: a handshake for one room, relay or link fails at every other. */
export function formatPrologue({ workspace, origin, id }: RoomBinding): Bytes {
  return toBytes(["pairpty e2e 1", workspace, origin, id].join("\n"));
}

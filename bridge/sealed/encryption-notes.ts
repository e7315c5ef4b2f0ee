// Formats what people read about end-to-end encryption: what is encrypted, and what the relay can
// read. Pure.

import type { Role } from "../../protocol/grant.ts";
import type { Status } from "../doors/control/control-requests.ts";

/** The mark of a link, token or connection whose traffic passes the relay unencrypted. */
export const READABLE_BY_RELAY = "readable by the relay";

/** Returns the first screen's sentence about a sealed room. */
export function formatSealedNote(): string {
  return `End-to-end encrypted for people. Agents that connect through the relay are ${READABLE_BY_RELAY}.`;
}

/** Returns the first screen's sentence about a plain room whose relay runs elsewhere. */
export function formatReadableNote(tunnelNotice: string | undefined): string {
  const mark = "Readable by the relay";
  if (tunnelNotice !== undefined) return `${mark}. ${tunnelNotice}`;
  return `${mark}: its operator can read everything that is typed and shown.`;
}

/** Returns the note below a new token. */
export function formatReadableTokenNote(role: Role): string {
  const what =
    role === "agent"
      ? "the agent's calls and their results"
      : "everything that its holder types and sees";
  return `This token is ${READABLE_BY_RELAY}: ${what} pass it without end-to-end encryption.`;
}

/** Returns the row of `pairpty status`, also the finding of `pairpty doctor` about a running bridge. */
export function formatEncryption({
  e2e,
  readable,
  embedded,
  tunnel,
}: Pick<Status, "e2e" | "readable" | "embedded" | "tunnel">): string {
  if (!e2e) {
    const isHere = embedded && tunnel === undefined;
    return isHere ? "off; the relay is on this machine" : `off: ${READABLE_BY_RELAY}`;
  }
  const { people = 0, agents = 0 } = readable ?? {};
  const parts = [
    ...(people === 0 ? [] : [`${people} plain ${people === 1 ? "token" : "tokens"}`]),
    ...(agents === 0 ? [] : [`${agents} agent ${agents === 1 ? "token" : "tokens"}`]),
  ];
  const exceptions = parts.length === 0 ? "" : `; ${READABLE_BY_RELAY}: ${parts.join(", ")}`;
  return `end-to-end encrypted${exceptions}`;
}

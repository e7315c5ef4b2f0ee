// Owns the texts for when input cannot arrive, for now or for good: who or what caused it, and what
// happened to the terminals. Pure: says that terminals keep running only if that is known.

import type { LinkEndedReason } from "../../protocol/codes.ts";
import { LINK_ENDED_REASONS } from "../../protocol/codes.ts";
import type { BridgeState } from "../../protocol/pty.ts";

export interface EndNotice {
  /** A few words, for the bar. */
  readonly title: string;
  /** When it was, for the bar where there is room; empty where that is unknown. */
  readonly when?: string;
  readonly text: string;
}

/** The person who reads the notice, and by which address: what they can do depends on that. */
export interface Reader {
  /** Formats a time for this person. */
  readonly clock: (at: number) => string;
  /** The host's own page. */
  readonly isHost?: boolean;
  /** The reader's link works again when the host starts pairpty again. */
  readonly isLasting?: boolean;
  /** The page's address ends with the host's pairpty, as a quick tunnel's does. */
  readonly isPassing?: boolean;
  /** How many terminals ran when the host left, as this page saw them. */
  readonly terminals?: number | undefined;
}

/** Explains a host that is away. */
export function explainHostAway(bridge: BridgeState, now: number, reader: Reader): EndNotice {
  const { how, since, by } = bridge;
  const at = since === undefined ? "" : ` at ${reader.clock(since)}`;
  const from = since === undefined ? "" : ` since ${reader.clock(since)}`;
  switch (how) {
    case "ended":
      return {
        title: "Ended",
        when: at,
        text: `${formatEndedBy(by)}${at}. ${formatTerminalsGone(reader.terminals)} The last output stays readable here. ${next(reader)}`,
      };
    case "crashed": {
      const text = explainGracePeriod(
        `pairpty crashed on the host’s machine${at}.`,
        bridge,
        now,
        reader,
      );
      return { title: "Host crashed", when: at, text };
    }
    case "left": {
      const text = explainGracePeriod(
        `The host closed pairpty’s window${at}.`,
        bridge,
        now,
        reader,
      );
      return { title: "Host left", when: at, text };
    }
    case "silent":
      return {
        title: "Host not responding",
        when: from,
        text: "The host’s machine is not responding: it may be asleep or offline. Nothing typed here is sent. This page resumes when it responds.",
      };
    default:
      return {
        title: "Host offline",
        when: from,
        text: "The host’s machine is not connected to the relay. If it is running, so are its terminals. This page resumes when it is back.",
      };
  }
}

/** Returns why a link no longer works, from the room's close reason. */
export function parseGoneReason(reason: string | undefined): LinkEndedReason | undefined {
  if (reason === LINK_ENDED_REASONS.revoked) return "revoked";
  if (reason === LINK_ENDED_REASONS.expired) return "expired";
  return reason === LINK_ENDED_REASONS.ended ? "ended" : undefined;
}

export function explainLinkEnd(how: LinkEndedReason | undefined): EndNotice {
  switch (how) {
    case "revoked":
      return {
        title: "Your link was revoked",
        text: "The host revoked your link. Ask the host for a new one.",
      };
    case "expired":
      return {
        title: "Your link has expired",
        text: "Your link has expired. Ask the host for a new one.",
      };
    case "ended":
      return {
        title: "This session has ended",
        text: "The host stopped pairpty, and your link ended with it. Ask the host for a new one.",
      };
    default:
      return {
        title: "This link is not valid here",
        text: "Perhaps the host revoked it, it expired, or you did not copy all of it. Ask the host for a new one.",
      };
  }
}

/** Whether this host's terminals waited for it and have ended meanwhile. */
export function isTooLate({ until }: BridgeState, now: number): boolean {
  return until !== undefined && now >= until;
}

function explainGracePeriod(
  what: string,
  bridge: BridgeState,
  now: number,
  reader: Reader,
): string {
  const { until } = bridge;
  if (isTooLate(bridge, now)) {
    return `${what} It did not restart in time, so its terminals have ended. ${next(reader)}`;
  }
  const then =
    reader.isPassing === true
      ? "This page’s address has ended: ask the host for a new link."
      : "This page resumes when it is back.";
  if (until === undefined) return `${what} ${then}`;
  return `${what} Its terminals keep running and wait until ${reader.clock(until)} for it to restart. ${then}`;
}

/** Returns what a person can do about an end. */
function next({ isHost, isLasting, isPassing }: Reader): string {
  if (isHost === true) return "To start again, run `pairpty`.";
  return isLasting === true && isPassing !== true
    ? "Your link stays valid: this page resumes when the host starts pairpty again."
    : "To continue, ask the host for a new link.";
}

function formatEndedBy(by: string | undefined): string {
  switch (by) {
    case "window":
      return "The host ended this session from pairpty’s own window";
    case "stop":
      return "The host ended this session with `pairpty stop`";
    case "signal":
      return "The host’s machine stopped pairpty, perhaps to shut down,";
    case "idle":
      return "pairpty was idle and stopped automatically";
    default:
      return "The host ended this session";
  }
}

function formatTerminalsGone(terminals: number | undefined): string {
  if (terminals === undefined) return "Its terminals are gone.";
  if (terminals === 0) return "No terminal was open.";
  return terminals === 1 ? "Its terminal is gone." : `Its ${terminals} terminals are gone.`;
}

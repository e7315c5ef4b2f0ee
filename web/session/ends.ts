// Owns the texts for when input cannot arrive, for now or for good: who or what caused it, and what
// happened to the terminals. Pure: says that terminals keep running only if that is known.

import type { GoneHow } from "../../protocol/codes.ts";
import { GONE_REASONS } from "../../protocol/codes.ts";
import type { BridgeState } from "../../protocol/pty.ts";

export interface End {
  /** A few words, for the bar. */
  readonly title: string;
  readonly text: string;
}

/** Explains why the host is away. `clock` formats a time for this person. */
export function endOfHost(bridge: BridgeState, now: number, clock: (at: number) => string): End {
  const { how, since, by, terminals, until } = bridge;
  const at = since === undefined ? "" : ` at ${clock(since)}`;
  switch (how) {
    case "ended":
      return {
        title: `Ended${at}`,
        text: `${endedBy(by)}${at}. ${gone(terminals)} The last output stays readable here.`,
      };
    case "crashed":
      return waiting(`Host crashed${at}`, `pairpty crashed on the host’s machine${at}.`, now, {
        until,
        clock,
      });
    case "left":
      return waiting(`Host left${at}`, `The host closed pairpty’s window${at}.`, now, {
        until,
        clock,
      });
    case "silent":
      return {
        title: `Host not responding${since === undefined ? "" : ` since ${clock(since)}`}`,
        text: "The host’s machine is connected but not responding: it may be asleep or offline. Nothing typed here is sent. This page resumes automatically when the host responds.",
      };
    default:
      return {
        title: since === undefined ? "Host offline" : `Host offline since ${clock(since)}`,
        text: "The host’s machine is not connected to the relay. If it is running, so are its terminals. This page resumes automatically when the host is back.",
      };
  }
}

/** Returns why a link no longer works, from the room's close reason. */
export function goneHow(reason: string | undefined): GoneHow | undefined {
  if (reason === GONE_REASONS.revoked) return "revoked";
  if (reason === GONE_REASONS.expired) return "expired";
  return reason === GONE_REASONS.ended ? "ended" : undefined;
}

export function endOfLink(how: GoneHow | undefined): End {
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

function waiting(
  title: string,
  what: string,
  now: number,
  { until, clock }: { until: number | undefined; clock: (at: number) => string },
): End {
  if (until === undefined) return { title, text: `${what} This page resumes when it is back.` };
  if (now >= until) {
    return { title, text: `${what} It did not restart in time, so its terminals have ended.` };
  }
  const how = `Its terminals keep running and wait until ${clock(until)} for it to restart`;
  return { title, text: `${what} ${how}; then this page resumes.` };
}

function endedBy(by: string | undefined): string {
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

function gone(terminals: number | undefined): string {
  if (terminals === undefined) return "Its terminals are gone.";
  if (terminals === 0) return "No terminal was open.";
  return terminals === 1 ? "Its terminal is gone." : `Its ${terminals} terminals are gone.`;
}

// Owns what the page knows about who types into a terminal (its driver), and the texts for it.
// Pure.

import { displayName } from "../../protocol/names.ts";
import type { PtyAsked, PtyDriver } from "../../protocol/pty.ts";
import type { Person } from "../../protocol/room.ts";

interface ViewerInfo {
  readonly viewers: number;
  /** Whose size the terminal has; absent if no viewer set it. */
  readonly size?: PtyDriver["size"];
}

export type DriverState = ViewerInfo &
  (
    | { readonly who: "you" }
    | { readonly who: "other"; readonly label: string }
    | { readonly who: "nobody" }
  );

/** Keyed by terminal id; absent until the bridge has sent it. */
export type Drivers = ReadonlyMap<string, DriverState>;

export function setDriver(drivers: Drivers, message: PtyDriver, you: number | undefined): Drivers {
  return new Map(drivers).set(message.id, toDriverState(message, you));
}

function toDriverState(message: PtyDriver, you: number | undefined): DriverState {
  const { driver, label, name, viewers, size } = message;
  const watched = { viewers, ...(size && { size }) };
  if (driver === null) return { who: "nobody", ...watched };
  if (driver === you) return { who: "you", ...watched };
  return { who: "other", label: formatPerson(name, label), ...watched };
}

/** Returns a person's display name, as in the bar and the list of people. */
function formatPerson(name: string | undefined, label: string | undefined): string {
  return displayName({ name, label: label || "someone" });
}

/** Returns who is typing. `isHere`: their keys go to this terminal, not to another pane's. */
export function formatTyping(driving: DriverState, isHere: boolean): string {
  switch (driving.who) {
    case "you":
      return isHere ? "You are typing" : "You typed last";
    case "other":
      return `${driving.label} ${isHere ? "is typing" : "typed last"}`;
    case "nobody":
      return "Idle";
    default:
      return driving satisfies never;
  }
}

/**
 * Whether the driver's keys go here, by the room's report of what people view; true for people it
 * does not report. A page that shows no terminal reports none.
 */
export function isTypingHere(id: string, driving: DriverState, others: readonly Person[]): boolean {
  if (driving.who !== "other") return true;
  const them = others.filter((one) => displayName(one) === driving.label);
  const isAtTerminal = ({ typing, looking }: Person): boolean => (typing ?? looking) === id;
  return them.length === 0 || them.some(isAtTerminal);
}

/** Returns whose size the terminal has; undefined if it is ours or no one's. */
export function formatSizeOwner(
  { size }: DriverState,
  you: number | undefined,
): string | undefined {
  switch (size?.of) {
    case "pinned":
      return "pinned";
    case "turns":
      return "sized to fit everyone typing";
    case "one": {
      const [one] = size.people ?? [];
      return one === undefined || one.peer === you ? undefined : `sized by ${one.called}`;
    }
    default:
      return undefined;
  }
}

/** What a change of the font size applies to. */
export type ZoomTarget =
  /** The size in cells: it is this page's own. */
  | "own"
  /** The same size, after taking over: no one types, and no one else here set the size. */
  | "claim"
  /** Only how this page shows the terminal, not its size. */
  | "picture";

/**
 * Decides what a change of the font size applies to. `isForeign`: the size differs from what fits
 * here; `mayType`: this person may take over.
 */
export function zoomTarget(
  driving: DriverState | undefined,
  you: number | undefined,
  { isForeign, mayType }: { readonly isForeign: boolean; readonly mayType: boolean },
): ZoomTarget {
  const size = driving?.size;
  if (size?.of === "pinned" || driving?.who === "other") return "picture";
  if (driving?.who === "you") return "own";
  const isOthers = size?.people?.some(({ peer }) => peer !== you) === true;
  return mayType && !isForeign && !isOthers ? "claim" : "picture";
}

/** Whether a size that does not fit here will soon: the bridge has yet to follow this page. */
export function followsUs(driving: DriverState | undefined): boolean {
  const of = driving?.size?.of;
  return driving?.who === "you" && of !== "pinned" && of !== "turns";
}

/**
 * Counts watchers without the driver; 0 if only we watch. Counts people if the room reports them,
 * since one browser may have several sockets or look elsewhere; otherwise sockets.
 */
export function countWatchers(
  id: string,
  driving: DriverState,
  others: readonly Person[] | undefined,
): number {
  const { who, viewers } = driving;
  if (others === undefined) return viewers <= 1 ? 0 : viewers - (who === "nobody" ? 0 : 1);
  const looking = others.filter((one) => one.looking === id);
  if (looking.length === 0) return 0;
  if (who === "you") return looking.length;
  const isAmong = who === "other" && looking.some((one) => displayName(one) === driving.label);
  return looking.length + (isAmong ? 0 : 1);
}

export function formatAsker({ label, name }: PtyAsked): string {
  return `“${formatPerson(name, label)}”`;
}

/** Whether this page may send focus and mouse reports: not while another person drives. */
export function canSendReports(driving: DriverState | undefined): boolean {
  return driving?.who !== "other";
}

/** Adds a request for control, replacing an earlier one of the same peer. */
export function addControlRequest(asks: readonly PtyAsked[], ask: PtyAsked): readonly PtyAsked[] {
  return [...removeControlRequest(asks, ask), ask];
}

export function removeControlRequest(
  asks: readonly PtyAsked[],
  ask: PtyAsked,
): readonly PtyAsked[] {
  return asks.filter(({ id, peer }) => id !== ask.id || peer !== ask.peer);
}

/** Keeps only requests for terminals that we drive. */
export function filterDrivenRequests(
  asks: readonly PtyAsked[],
  drivers: Drivers,
): readonly PtyAsked[] {
  return asks.filter(({ id }) => drivers.get(id)?.who === "you");
}

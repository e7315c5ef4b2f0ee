// Owns what agents may not read of a terminal: nothing after the point where a person stepped in,
// and nothing that a person hid on handing back. Pure. Hidden bytes are overwritten before they are
// read, so no reader can show them by mistake; offsets stay those of the stream.

import type { RetainedForAgents } from "./terminal-text.ts";

/** A range of a stream; `to` is exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The fields that the pty host stores with the terminal. */
export interface WithholdingMeta {
  /** Offset at which a person stepped in. */
  readonly steppedIn?: { readonly since: number } | undefined;
  /** Sorted, without overlap. */
  readonly hidden?: readonly Span[] | undefined;
}

/** The ranges that agents may not read now. */
export interface WithheldOutput {
  /** Exclusive end of what agents may read. */
  readonly horizon: number | undefined;
  readonly hidden: readonly Span[];
}

/** Further ranges are merged into fewer, larger ones: they are stored with every terminal. */
export const MAX_SPANS = 64;

/** Ends any open sequence, and is not text itself. */
const CANCEL = 0x18;

/** Returns what is withheld; with `end`, its exit: what was not handed back stays hidden. */
export function toWithheld(
  { steppedIn, hidden = [] }: WithholdingMeta,
  end: number | undefined,
): WithheldOutput {
  if (steppedIn === undefined) return { horizon: undefined, hidden };
  if (end === undefined) return { horizon: steppedIn.since, hidden };
  return { horizon: undefined, hidden: addSpan(hidden, { from: steppedIn.since, to: end }) };
}

/** Returns the fields to store after a person handed the terminal back at this offset. */
export function toHandedBackMeta(
  { steppedIn, hidden = [] }: WithholdingMeta,
  at: number,
  isHidden: boolean,
): { readonly steppedIn: undefined; readonly hidden: Span[] | undefined } {
  const spans =
    steppedIn === undefined || !isHidden
      ? [...hidden]
      : addSpan(hidden, { from: steppedIn.since, to: at });
  return { steppedIn: undefined, hidden: spans.length === 0 ? undefined : spans };
}

export function isWithheld({ steppedIn, hidden = [] }: WithholdingMeta): boolean {
  return steppedIn !== undefined || hidden.length > 0;
}

/** Returns the part of these bytes that an agent may read. */
export function filterForAgents(
  { offset, bytes }: Omit<RetainedForAgents, "hidden">,
  { horizon, hidden }: WithheldOutput,
): RetainedForAgents {
  const end = Math.min(offset + bytes.length, horizon ?? Number.POSITIVE_INFINITY);
  const visible = {
    offset: Math.min(offset, end),
    bytes: bytes.subarray(0, Math.max(0, end - offset)),
  };
  const spans = hidden.filter(({ from, to }) => from < end && to > offset);
  if (spans.length === 0) return visible;
  const masked = Buffer.from(visible.bytes);
  for (const { from, to } of spans) masked.fill(CANCEL, Math.max(0, from - offset), to - offset);
  return { offset: visible.offset, bytes: masked, hidden: spans };
}

/** Returns the text of [from, to), indexes into the bytes, with a note for each hidden range. */
export function formatWithGaps(
  { offset, hidden = [] }: RetainedForAgents,
  from: number,
  to: number,
  toText: (from: number, to: number) => string,
): string {
  let text = "";
  let at = from;
  for (const span of hidden) {
    const start = Math.max(span.from - offset, at);
    const end = Math.min(span.to - offset, to);
    if (start >= end) continue;
    text = `${endWithNewline(text + toText(at, start))}[hidden: ${end - start} bytes typed by a person]\n`;
    at = end;
  }
  return text + toText(at, to);
}

function addSpan(spans: readonly Span[], added: Span): Span[] {
  if (added.to <= added.from) return [...spans];
  const merged: Span[] = [];
  for (const span of [...spans, added].toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && span.from <= last.to) {
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    } else merged.push(span);
  }
  while (merged.length > MAX_SPANS) {
    const [first = added, second = added] = merged.splice(0, 2);
    merged.unshift({ from: first.from, to: second.to });
  }
  return merged;
}

function endWithNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

// Owns the recognition of sequences that query the terminal. protocol/terminal-queries.ts lists
// them; the bridge's screen has the answers. Pure.

import type { TerminalQuery } from "../../protocol/terminal-queries.ts";
import {
  isValueQuery,
  includesParameter,
  TERMINAL_QUERIES,
} from "../../protocol/terminal-queries.ts";
import type { Sequence } from "./sequence.ts";

/** Indexed by final byte or an OSC's number, to reject most sequences quickly. */
type QueryIndex = readonly (readonly TerminalQuery[] | undefined)[];

const CSI = buildIndex("csi");
const ESC = buildIndex("esc");
const DCS = buildIndex("dcs");
const OSC = buildIndex("osc");

function buildIndex(kind: TerminalQuery["kind"]): QueryIndex {
  const forms: TerminalQuery[][] = Array.from({ length: 128 });
  for (const query of TERMINAL_QUERIES.filter((one) => one.kind === kind)) {
    const key = query.kind === "osc" ? query.command : query.final.charCodeAt(0);
    forms[key] = [...(forms[key] ?? []), query];
  }
  return forms;
}

/** Whether the screen answers it. Other queries get no answer, as from any xterm. */
export function isAnswered(sequence: Sequence): boolean {
  const query = findQuery(sequence);
  if (query?.answeredParameters === undefined || !sequence.isWhole) return false;
  return includesParameter(query.answeredParameters, sequence.params[0] ?? 0);
}

/** Whether any terminal would answer this. */
export function isQuery(sequence: Sequence): boolean {
  return findQuery(sequence) !== undefined;
}

function findQuery(sequence: Sequence): TerminalQuery | undefined {
  const candidates = listCandidates(sequence);
  if (candidates === undefined) return undefined;
  for (const query of candidates) if (matchesQuery(query, sequence)) return query;
  return undefined;
}

function listCandidates({ kind, final, text }: Sequence): readonly TerminalQuery[] | undefined {
  switch (kind) {
    case "csi":
      return CSI[final.charCodeAt(0)];
    case "esc":
      return ESC[final.charCodeAt(0)];
    case "dcs":
      return DCS[final.charCodeAt(0)];
    case "osc":
      return OSC[parseOscNumber(text)];
    default:
      return undefined;
  }
}

/** Returns the number of an OSC as xterm reads it: digits up to the first semicolon. */
function parseOscNumber(text: string): number {
  let command = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return text[at] === ";" && at > 0 ? command : -1;
    command = command * 10 + digit;
  }
  return -1;
}

function matchesQuery(
  query: TerminalQuery,
  { prefix, intermediates, params, text }: Sequence,
): boolean {
  switch (query.kind) {
    case "csi":
      if (query.prefix !== prefix || query.intermediates !== intermediates) return false;
      return includesParameter(query.queryParameters, params[0] ?? 0);
    case "esc":
      return intermediates === "";
    case "dcs":
      return query.intermediates === intermediates;
    default:
      return isValueQuery(text.slice(text.indexOf(";") + 1));
  }
}

/** Returns the query as a sequence that a terminal can read. */
export function formatQuery(sequence: Sequence): string {
  const { kind, prefix, intermediates, final, params, text } = sequence;
  if (kind === "osc") return `\x1b]${text}\x1b\\`;
  if (kind === "dcs") return `\x1bP${prefix}${intermediates}${final}${text}\x1b\\`;
  return `\x1b[${prefix}${params.join(";")}${intermediates}${final}`;
}

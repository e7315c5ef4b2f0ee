// Formats an agent's approval request for a terminal: who wants what, where, in which isolation, and
// why it needs approval. An agent's text can neither control the terminal nor imitate ours. Pure.

import { displayName } from "../../../protocol/names.ts";
import type { Approval, ApprovalSettled, ApprovalWord } from "../../../protocol/approval.ts";
import { splitReasons } from "../../../protocol/approval.ts";
import { formatCommandLine } from "../../../protocol/formats.ts";
import { escapeUnsafe, wrapText } from "../output/format-text.ts";

export interface CardOptions {
  readonly columns: number;
  /** Maximum lines of the agent's own text. */
  readonly rows: number;
  readonly ascii: boolean;
  /** The command that shows every reason; without it the card shows them all. */
  readonly moreCommand?: string;
  readonly paint: Readonly<Record<"bold" | "red" | "yellow", (text: string) => string>>;
}

export interface Card {
  readonly lines: readonly string[];
  /** Whether all of the agent's text is on the card. */
  readonly isWhole: boolean;
}

/** Narrower windows get no margin. */
export const NARROW_COLUMNS = 60;
const TAB = "    ";

const WANTS_BY_KIND: Readonly<Record<Approval["kind"], string>> = {
  command: "wants to run a command",
  input: "wants to type",
  write: "wants to write a file",
  permission: "asks for permission",
};

export function formatCard(approval: Approval, options: CardOptions): Card {
  const { agent, kind, via, cwd, isolation, verdict } = approval;
  const { paint, columns } = options;
  const indent = columns < NARROW_COLUMNS ? "" : "  ";
  const width = Math.max(1, columns - indent.length);
  const name = toOneLine(agent.label === "" ? agent.grant : agent.label);
  const head = `${name} ${WANTS_BY_KIND[kind]} (${toOneLine(via)}, isolation ${isolation}) in ${toOneLine(cwd)}`;
  const agentTexts = [
    formatCommandLine(approval),
    ...(approval.diff === undefined ? [] : [approval.diff]),
  ];
  const text = agentTexts.flatMap((part) => withGutter(part, width, options.ascii));
  const isWhole = text.length <= options.rows;
  const shown = isWhole ? text : text.slice(0, options.rows);
  const truncationNote = isWhole
    ? []
    : [paint.red(`${text.length - options.rows} more lines not shown`)];
  const shade = verdict === "unknown" || verdict === "safe" ? paint.yellow : paint.red;
  const lines = [
    ...wrapHanging(head, width).map(paint.bold),
    ...shown,
    ...truncationNote,
    ...reasonLines(approval, options.moreCommand, width).map(shade),
  ];
  return { lines: lines.map((line) => indent + line), isWhole };
}

/** Returns the verdict with the gravest reason, the notes, and the other reasons or where they are. */
function reasonLines(approval: Approval, moreCommand: string | undefined, width: number): string[] {
  const { gravest, more, notes } = splitReasons(approval);
  const isCut = moreCommand !== undefined && more.length > 0;
  const count = `${more.length} more ${more.length === 1 ? "reason" : "reasons"}`;
  const first = gravest === undefined ? "" : `: ${toOneLine(gravest)}`;
  return [
    approval.verdict + first,
    ...[...(isCut ? [] : more), ...notes].map(toOneLine),
    ...(isCut ? [`${count}: \`${moreCommand}\``] : []),
  ].flatMap((line) => wrapHanging(line, width));
}

/** Returns the meaning of each offered answer. */
export function describeAnswers({
  offers,
  rule,
}: Pick<Approval, "offers" | "rule">): Map<ApprovalWord, string> {
  const words: [ApprovalWord, string][] = [
    ["once", "once"],
    ["session", "always, for this agent's session"],
    ["prefix", rule === undefined ? "every similar command" : `every \`${toOneLine(rule)}\``],
    ["deny", "deny"],
  ];
  return new Map(words.filter(([word]) => offers.includes(word)));
}

/** Returns how the approval was settled, and by whom. */
export function formatSettled({ id, outcome, by, answer, reason }: ApprovalSettled): string {
  const who = by === undefined ? "" : ` by ${toOneLine(displayName(by))}`;
  const how = answer === undefined || answer === "deny" ? "" : `, ${answer}`;
  const why = reason === undefined || reason === "" ? "" : `: ${toOneLine(reason)}`;
  return `approval ${id} ${outcome === "expired" ? "has" : "was"} ${outcome}${who}${how}${why}`;
}

export function toOneLine(text: string): string {
  return escapeUnsafe(text.replaceAll("\t", TAB)).replaceAll("\n", String.raw`\n`);
}

/** Wraps the text; continuation lines are indented, since a folder's name may contain anything. */
function wrapHanging(text: string, width: number): string[] {
  const [first = "", ...more] = wrapText(text, Math.max(1, width - TAB.length));
  return [first, ...more.map((line) => TAB + line)];
}

/** Marks and wraps each line, so that an agent's text cannot pass for the lines around it. */
function withGutter(text: string, width: number, ascii: boolean): string[] {
  const mark = ascii ? "| " : "│ ";
  const room = Math.max(2, width - mark.length);
  return text
    .replaceAll("\t", TAB)
    .split("\n")
    .flatMap((line) => splitToWidth(escapeUnsafe(line), room))
    .map((piece) => mark + piece);
}

/** Splits a line to the width; a character outside ASCII may take two columns. */
function splitToWidth(line: string, room: number): string[] {
  const all: string[] = [];
  let piece = "";
  let taken = 0;
  for (const letter of line) {
    const size = letter <= "~" ? 1 : 2;
    if (taken + size > room) {
      all.push(piece);
      piece = "";
      taken = 0;
    }
    piece += letter;
    taken += size;
  }
  return [...all, piece];
}

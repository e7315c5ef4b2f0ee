// Formats an agent's approval request for a terminal: who wants what, where, in which isolation, and
// why it needs approval. An agent's text can neither control the terminal nor imitate ours. Pure.

import { calledBy } from "../../../protocol/names.ts";
import type { Approval, ApprovalSettled, ApprovalWord } from "../../../protocol/approval.ts";
import { splitReasons } from "../../../protocol/approval.ts";
import { lineOf } from "../../../protocol/quoting.ts";
import { plain } from "../output/plain.ts";
import { wrap } from "../output/wrap.ts";

export interface CardWish {
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
export const NARROW = 60;
const TAB = "    ";

const WANTS: Readonly<Record<Approval["kind"], string>> = {
  command: "wants to run a command",
  input: "wants to type",
  write: "wants to write a file",
  permission: "asks for permission",
};

export function cardOf(approval: Approval, wish: CardWish): Card {
  const { agent, kind, via, cwd, isolation, verdict } = approval;
  const { paint, columns } = wish;
  const indent = columns < NARROW ? "" : "  ";
  const width = Math.max(1, columns - indent.length);
  const name = oneLine(agent.label === "" ? agent.grant : agent.label);
  const head = `${name} ${WANTS[kind]} (${oneLine(via)}, isolation ${isolation}) in ${oneLine(cwd)}`;
  const wrote = [lineOf(approval), ...(approval.diff === undefined ? [] : [approval.diff])];
  const text = wrote.flatMap((part) => gutter(part, width, wish.ascii));
  const isWhole = text.length <= wish.rows;
  const shown = isWhole ? text : text.slice(0, wish.rows);
  const cut = isWhole ? [] : [paint.red(`${text.length - wish.rows} more lines not shown`)];
  const shade = verdict === "unknown" || verdict === "safe" ? paint.yellow : paint.red;
  const lines = [
    ...hanging(head, width).map(paint.bold),
    ...shown,
    ...cut,
    ...reasonLines(approval, wish.moreCommand, width).map(shade),
  ];
  return { lines: lines.map((line) => indent + line), isWhole };
}

/** Returns the verdict with the gravest reason, the notes, and the other reasons or where they are. */
function reasonLines(approval: Approval, moreCommand: string | undefined, width: number): string[] {
  const { gravest, more, notes } = splitReasons(approval);
  const isCut = moreCommand !== undefined && more.length > 0;
  const count = `${more.length} more ${more.length === 1 ? "reason" : "reasons"}`;
  const first = gravest === undefined ? "" : `: ${oneLine(gravest)}`;
  return [
    approval.verdict + first,
    ...[...(isCut ? [] : more), ...notes].map(oneLine),
    ...(isCut ? [`${count}: \`${moreCommand}\``] : []),
  ].flatMap((line) => hanging(line, width));
}

/** Returns the meaning of each offered answer. */
export function offerWords({
  offers,
  rule,
}: Pick<Approval, "offers" | "rule">): Map<ApprovalWord, string> {
  const words: [ApprovalWord, string][] = [
    ["once", "once"],
    ["session", "always, for this agent's session"],
    ["prefix", rule === undefined ? "every similar command" : `every \`${oneLine(rule)}\``],
    ["deny", "deny"],
  ];
  return new Map(words.filter(([word]) => offers.includes(word)));
}

/** Returns how the approval was settled, and by whom. */
export function settledText({ id, outcome, by, answer, reason }: ApprovalSettled): string {
  const who = by === undefined ? "" : ` by ${oneLine(calledBy(by.name, by.label))}`;
  const how = answer === undefined || answer === "deny" ? "" : `, ${answer}`;
  const why = reason === undefined || reason === "" ? "" : `: ${oneLine(reason)}`;
  return `approval ${id} ${outcome === "expired" ? "has" : "was"} ${outcome}${who}${how}${why}`;
}

export function oneLine(text: string): string {
  return plain(text.replaceAll("\t", TAB)).replaceAll("\n", String.raw`\n`);
}

/** Wraps the text; continuation lines are indented, since a folder's name may contain anything. */
function hanging(text: string, width: number): string[] {
  const [first = "", ...more] = wrap(text, Math.max(1, width - TAB.length));
  return [first, ...more.map((line) => TAB + line)];
}

/** Marks and wraps each line, so that an agent's text cannot pass for the lines around it. */
function gutter(text: string, width: number, ascii: boolean): string[] {
  const mark = ascii ? "| " : "│ ";
  const room = Math.max(2, width - mark.length);
  return text
    .replaceAll("\t", TAB)
    .split("\n")
    .flatMap((line) => pieces(plain(line), room))
    .map((piece) => mark + piece);
}

/** Splits a line to the width; a character outside ASCII may take two columns. */
function pieces(line: string, room: number): string[] {
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

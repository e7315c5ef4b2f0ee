// Parses the command line's arguments; throws a message about what is valid.

import { InvalidArgumentError } from "commander";
import { ApprovalId, MAX_REASON_CHARS } from "../../../protocol/approval.ts";
import { MAX_PROMPT_CHARS } from "../../../protocol/conversation.ts";
import { GrantId, Label } from "../../../protocol/grant.ts";
import { Columns, Rows } from "../../../protocol/terminal.ts";

export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("A port is a number from 1 to 65535, or 0 for any free one.");
}

export function parseLineCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("A number of lines is 0 or more.");
}

/** Parses a speed or a number of seconds. */
export function parseFactor(text: string): number {
  const number = Number(text);
  if (/^\d{1,6}(\.\d{1,6})?$/.test(text) && number > 0 && number <= 10_000) return number;
  throw new InvalidArgumentError("Write a number above 0, such as 2 or 0.5.");
}

export function parseLabel(text: string): string {
  if (Label.safeParse(text).success) return text;
  const [odd] = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.exec(text) ?? [];
  if (odd === undefined) throw new InvalidArgumentError("At most 80 characters.");
  const number = (odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  throw new InvalidArgumentError(
    `It has the character U+${number}, which breaks, hides or reverses text on other people's screens. Leave it out.`,
  );
}

export function parseGrantId(text: string): string {
  if (GrantId.safeParse(text).success) return text;
  throw new InvalidArgumentError("An id has 10 letters and digits: see `pairpty grants`.");
}

export function parseApprovalId(text: string): string {
  if (ApprovalId.safeParse(text).success) return text;
  throw new InvalidArgumentError("An id has a few letters and digits: see `pairpty approvals`.");
}

export function parseReason(text: string): string {
  if (text.length <= MAX_REASON_CHARS) return text;
  throw new InvalidArgumentError(`At most ${MAX_REASON_CHARS} characters.`);
}

export function parsePrompt(text: string): string {
  if (text.trim() !== "" && text.length <= MAX_PROMPT_CHARS) return text;
  throw new InvalidArgumentError(`A prompt has some text, at most ${MAX_PROMPT_CHARS} characters.`);
}

/** Parses `120x40`, also with the × that we print. */
export function parseTerminalSize(text: string): { cols: number; rows: number } {
  const [, cols, rows] = /^(\d{1,4})[x×](\d{1,4})$/i.exec(text) ?? [];
  const size = { cols: Number(cols), rows: Number(rows) };
  if (Columns.safeParse(size.cols).success && Rows.safeParse(size.rows).success) return size;
  throw new InvalidArgumentError("A size is columns and rows, each from 1 to 1000: 120x40.");
}

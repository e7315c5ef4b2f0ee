// Owns which redirects mean the same in all shells. Does not judge them: redirects.ts does.

import { type HereDocument, readDelimiter } from "./here-documents.ts";

export interface RedirectForm {
  /** Index behind the operator; its target follows. */
  readonly end: number;
  /** The form as the reason names it, where shells read it differently. */
  readonly difference?: string;
  /** The form as the reason names it, where some shells reject the line. */
  readonly rejectedForm?: string;
  /** `<(` or `>(`: commands follow. */
  readonly opensProcess?: true;
  readonly document?: HereDocument;
}

/** zsh reads this as a range of numbers in a file name. */
const NUMBERS = /<\d*-\d*>/y;
const DUPLICATE = /[<>]&(?:\d|-)(?![^\s;&|<>()])/y;
/** dash and zsh have descriptors of one digit only. */
const LONG_DESCRIPTOR = /^\d\d+$/;

/** Reads the operator at a `<` or `>`; `before` is the part of the word in front of it. */
export function readRedirect(text: string, at: number, before: string): RedirectForm {
  const differs = (what: string): RedirectForm => ({ end: at + 1, difference: what });
  const rest = text.slice(at, at + 3);
  if (LONG_DESCRIPTOR.test(before)) return differs("a descriptor of two digits");
  if (isAt(NUMBERS, text, at)) return differs("<…>");
  if (rest[1] === "(") {
    if (before !== "") return differs(`${rest[0]}(…)`);
    return { end: at + 2, opensProcess: true, rejectedForm: `${rest[0]}(…)` };
  }
  if (rest === "<<<") return { end: at + 3, rejectedForm: rest };
  if (rest.startsWith("<<")) {
    const found = readDelimiter(text, at);
    return found ?? differs("<<");
  }
  if (isAt(DUPLICATE, text, at)) return { end: at + 2 };
  // bash and zsh redirect both outputs to a file; other shells expect a descriptor here.
  if (rest[1] === "&") return { end: at + 2, rejectedForm: rest.slice(0, 2) };
  return { end: at + (/[>|]/.test(rest[1] ?? "") ? 2 : 1) };
}

function isAt(form: RegExp, text: string, at: number): boolean {
  form.lastIndex = at;
  return form.test(text);
}

// Owns whether all shells read a text as the same commands. A text is portable if it consists of
// forms that are known to mean the same in dash, bash, zsh and their like; everything else differs,
// known or not. One pass: 64 KiB of anything take a few milliseconds. Judges nothing.

import { readExpansion } from "./expansions.ts";
import { type HereDocument, skipBodies } from "./here-documents.ts";
import { readRedirect } from "./redirect-forms.ts";

export interface Comment {
  /** Where its `#` is. */
  readonly at: number;
  readonly end: number;
  /** A shell without comments would take the `#` for a program. */
  readonly isCommand: boolean;
}

export interface PortableReading {
  /** The first form that some shell reads differently; undefined if there is none. */
  readonly difference?: string;
  readonly comments: readonly Comment[];
}

/** Letters that no shell gives a meaning, at the start of a word either. */
const PLAIN = /[A-Za-z0-9_./,:@%+-]+/y;
/** A command may start behind these. */
const LEADING = new Set(["if", "then", "else", "elif", "do", "while", "until", "!", "time", "{"]);
/** dash takes these for programs. */
const OF_SOME_SHELLS = new Set(["function", "select", "coproc"]);
/** bash appends and sets elements; dash takes the word for a program, and zsh expands `==x`. */
const ODD_ASSIGNMENT = /^[A-Za-z_]\w*(?:\+=|\[|==)/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** `!x` is an earlier command where a shell keeps a history, and zsh drops the quote of `!"`. */
const EARLIER_COMMAND = /!(?![\s=]|:\s|$)/y;
/** A command substitution is judged by the raw text, and may hold anything: nothing to add. */
class Substitutes extends Error {}

/** Its message is the form that differs. */
class Differs extends Error {}

/** `isTyped`: an interactive shell reads it, with a history, and it may be fish. */
export function readPortably(text: string, isTyped: boolean): PortableReading {
  const reader = new PortableReader(text, isTyped);
  try {
    reader.read();
    return { comments: reader.comments };
  } catch (error) {
    if (error instanceof Differs) return { comments: reader.comments, difference: error.message };
    if (error instanceof Substitutes) return { comments: reader.comments };
    throw error;
  }
}

class PortableReader {
  readonly comments: Comment[] = [];
  readonly #text: string;
  readonly #isTyped: boolean;
  #at = 0;
  /** Where the current word began; undefined between words. */
  #word: number | undefined;
  /** Open `{` in the current word. */
  #braces = 0;
  #parentheses = 0;
  #startsCommand = true;
  #isTarget = false;
  /** Here-documents whose bodies begin on the next line. */
  #waiting: HereDocument[] = [];
  /** A form that some shells refuse: it matters only if more lines follow, which they then run. */
  #refused: string | undefined;

  constructor(text: string, isTyped: boolean) {
    this.#text = text;
    this.#isTyped = isTyped;
  }

  read(): void {
    while (this.#at < this.#text.length) this.#step(this.#text[this.#at] ?? "");
    this.#endWord();
    if (this.#refused !== undefined && this.#text.trim().includes("\n"))
      throw new Differs(this.#refused);
  }

  #step(char: string): void {
    PLAIN.lastIndex = this.#at;
    if (PLAIN.test(this.#text)) return this.#take(PLAIN.lastIndex - this.#at);
    switch (char) {
      case " ":
      case "\t":
        this.#endWord();
        this.#at++;
        return;
      case "\n":
        return this.#endLine();
      case "\\":
        return this.#escape();
      case "'":
        return this.#singleQuotes();
      case '"':
        return this.#doubleQuotes();
      case "$":
        return this.#dollar(false);
      case "(":
      case ")":
        return this.#parenthesis(char);
      case "<":
      case ">":
        return this.#redirect();
      case "&":
      case "|":
      case ";":
        return this.#operator(char);
      default:
        return this.#letter(char);
    }
  }

  /** Signs that mean something in some places of a word. */
  #letter(char: string): void {
    const next = this.#text[this.#at + 1] ?? "";
    const starts = this.#word === undefined;
    if (char === "#" && starts) return this.#comment();
    if (char === "`") throw new Substitutes();
    if (char === "=" && starts && !/^[\s;&|<>()]?$/.test(next)) throw new Differs("=…");
    if (char === "~" && starts && /[-+[0-9]/.test(next)) throw new Differs(`~${next}`);
    if (char === "!") this.#history();
    if (char === "{") this.#braces++;
    if (char === "}") this.#closeBrace();
    this.#take(1);
  }

  #take(length: number): void {
    this.#word ??= this.#at;
    this.#at += length;
  }

  /** zsh ends a group at any `}` that closes nothing in its word. */
  #closeBrace(): void {
    const closesGroup = this.#word === undefined && this.#startsCommand;
    if (!closesGroup && --this.#braces < 0) throw new Differs("}");
  }

  #endWord(): void {
    const from = this.#word;
    this.#word = undefined;
    this.#braces = 0;
    if (from === undefined) return;
    if (this.#isTarget) {
      this.#isTarget = false;
      return;
    }
    if (!this.#startsCommand) return;
    const word = this.#text.slice(from, this.#at);
    if (OF_SOME_SHELLS.has(word)) throw new Differs(word);
    if (ODD_ASSIGNMENT.test(word)) throw new Differs("an assignment that dash does not know");
    this.#startsCommand = LEADING.has(word) || ASSIGNMENT.test(word);
  }

  #startCommand(): void {
    this.#endWord();
    this.#startsCommand = true;
    this.#isTarget = false;
  }

  #endLine(): void {
    this.#startCommand();
    this.#at++;
    if (this.#waiting.length === 0) return;
    const body = skipBodies(this.#text, this.#at, this.#waiting);
    this.#waiting = [];
    const end = body.end;
    for (const part of body.expanded) {
      // Whether it is joined before or after looking for the end, shells disagree.
      if (this.#text.slice(part.start, part.end).includes("\\\n"))
        throw new Differs("a line that goes on");
      this.#at = part.start;
      while (this.#at < part.end) this.#inText(part.end);
    }
    this.#at = end;
  }

  /** Between quotes and in the body of a here-document: only `$`, `\` and `` ` `` have a meaning. */
  #inText(end: number): void {
    const char = this.#text[this.#at];
    if (char === "$") return this.#dollar(true);
    if (char === "`") throw new Substitutes();
    if (char === "\\" && this.#at + 1 < end) this.#at++;
    this.#at++;
  }

  #escape(): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (next !== "\n") {
      // fish has `\x3b`, `\n` and their like outside quotes, too.
      if (this.#isTyped && /[A-Za-z0-9]/.test(next)) throw new Differs(`\\${next}`);
      return this.#take(2);
    }
    const before = this.#text[this.#at - 1] ?? " ";
    const after = this.#text[this.#at + 2] ?? " ";
    const isBetweenWords = /\s/.test(before) ? after !== "#" : /\s/.test(after);
    if (!isBetweenWords || this.#waiting.length > 0) throw new Differs("a line that goes on");
    this.#endWord();
    this.#at += 2;
  }

  #singleQuotes(): void {
    const close = this.#text.indexOf("'", this.#at + 1);
    if (close < 0) throw new Differs("an open quote");
    this.#word ??= this.#at;
    this.#staysOnLine(close);
    if (this.#isTyped && isEscaped(this.#text, close)) throw new Differs("\\'");
    this.#at = close + 1;
  }

  #doubleQuotes(): void {
    this.#word ??= this.#at;
    const open = this.#at++;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) throw new Differs("an open quote");
      if (char === '"') break;
      if (char === "!") this.#history();
      this.#inText(this.#text.length);
    }
    this.#staysOnLine(this.#at, open);
    this.#at++;
  }

  /**
   * Where here-documents wait, shells disagree on which line break ends the line. An interactive
   * shell that refuses the first line takes the next one for a command.
   */
  #staysOnLine(end: number, start = this.#at): void {
    const isFragile = this.#waiting.length > 0 || this.#isTyped;
    if (isFragile && this.#text.slice(start, end).includes("\n"))
      throw new Differs("a quote over several lines");
  }

  #dollar(isQuoted: boolean): void {
    const found = readExpansion(this.#text, this.#at, isQuoted);
    if (found.differs !== undefined) throw new Differs(found.differs);
    if (found.isSubstitution === true) throw new Substitutes();
    if (found.isOfSome === true) this.#refused ??= "${…}";
    if (!isQuoted) this.#word ??= this.#at;
    this.#at = found.end;
  }

  #history(): void {
    EARLIER_COMMAND.lastIndex = this.#at;
    if (this.#isTyped && EARLIER_COMMAND.test(this.#text)) throw new Differs("!…");
  }

  #comment(): void {
    const line = this.#text.indexOf("\n", this.#at);
    const end = line < 0 ? this.#text.length : line;
    this.comments.push({ at: this.#at, end, isCommand: this.#startsCommand });
    this.#at = end;
  }

  #parenthesis(char: string): void {
    if (char === ")") {
      this.#endWord();
      // Without one that is open it ends a pattern of `case`.
      this.#startsCommand = this.#parentheses === 0;
      this.#parentheses = Math.max(0, this.#parentheses - 1);
    } else {
      // Qualifiers of zsh, arrays, functions, or arithmetic.
      if (this.#word !== undefined || !this.#startsCommand) throw new Differs("(…)");
      if (this.#text[this.#at + 1] === "(") throw new Differs("((…))");
      this.#parentheses++;
    }
    this.#at++;
  }

  #operator(char: string): void {
    const next = this.#text[this.#at + 1] ?? "";
    const two = char + next;
    if (/^(?:&[>!|]|;[&|])$/.test(two) || /^;;[&|]/.test(this.#text.slice(this.#at, this.#at + 3)))
      throw new Differs(two);
    if (two === "|&") this.#refused ??= two;
    this.#startCommand();
    this.#at += /^(?:&&|\|\||;;|\|&)$/.test(two) ? 2 : 1;
  }

  #redirect(): void {
    const before = this.#word === undefined ? "" : this.#text.slice(this.#word, this.#at);
    const found = readRedirect(this.#text, this.#at, before);
    if (found.differs !== undefined) throw new Differs(found.differs);
    this.#refused ??= found.refused;
    // A descriptor is no word of the command.
    if (/^\d$/.test(before)) this.#word = undefined;
    this.#endWord();
    this.#at = found.end;
    if (found.opensProcess === true) {
      this.#parentheses++;
      this.#startCommand();
    } else if (found.document === undefined) {
      this.#isTarget = true;
    } else {
      if (this.#parentheses > 0) throw new Differs("<<");
      if (this.#isTyped) this.#refused ??= "<<";
      this.#waiting.push(found.document);
    }
  }
}

/** Behind an odd number of backslashes; fish takes these for escapes, also in single quotes. */
function isEscaped(text: string, at: number): boolean {
  let count = 0;
  while (text[at - 1 - count] === "\\") count++;
  return count % 2 === 1;
}

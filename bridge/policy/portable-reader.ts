// Owns whether all shells read a text as the same commands. A text is portable if it consists of forms
// that are known to mean the same in dash, bash, zsh and similar shells; everything else counts as
// different. One pass: 64 KiB of any text take a few milliseconds. Judges nothing.

import type { HereDocument } from "./portable-forms.ts";
import {
  readExpansion,
  readOperator,
  readRedirect,
  skipBodies,
  PLAIN,
  NOT_IN_DASH,
  ODD_ASSIGNMENT,
  COMMAND_FOLLOWS,
  ASSIGNMENT,
  isBetweenWords,
  isEscaped,
  HISTORY_REFERENCE,
} from "./portable-forms.ts";

export interface Comment {
  /** Index of its `#`. */
  readonly at: number;
  readonly end: number;
  /** A shell without comments would read the `#` as a program. */
  readonly isCommand: boolean;
}

export interface PortableReading {
  /** The first form that some shell reads differently; undefined if there is none. */
  readonly difference?: string;
  readonly comments: readonly Comment[];
}
/** Thrown at a command substitution: the raw text is judged for it anyway, and it may contain anything. */
class FoundSubstitution extends Error {}

/** Thrown at the first difference; the message is the form that differs. */
class FoundDifference extends Error {}

/** Reads a text as all shells would; `isTyped`: an interactive shell reads it, which may be fish. */
export function readPortably(text: string, isTyped: boolean): PortableReading {
  const reader = new PortableReader(text, isTyped);
  try {
    reader.read();
    return { comments: reader.comments };
  } catch (error) {
    if (error instanceof FoundSubstitution) return { comments: reader.comments };
    if (!(error instanceof FoundDifference)) throw error;
    return { comments: reader.comments, difference: error.message };
  }
}

class PortableReader {
  readonly comments: Comment[] = [];
  readonly #text: string;
  readonly #isTyped: boolean;
  #at = 0;
  /** Where the current word started; undefined between words. */
  #word: number | undefined;
  /** Open `{` in the current word. */
  #braces = 0;
  #parentheses = 0;
  #startsCommand = true;
  #isTarget = false;
  /** Here-documents whose bodies begin on the next line. */
  #waiting: HereDocument[] = [];
  /** A form that some shells reject; it matters only if more lines follow, which they then run. */
  #refused: string | undefined;

  constructor(text: string, isTyped: boolean) {
    this.#text = text;
    this.#isTyped = isTyped;
  }

  read(): void {
    while (this.#at < this.#text.length) this.#step(this.#text[this.#at] ?? "");
    this.#endWord();
    if (this.#refused !== undefined && this.#text.trim().includes("\n"))
      throw new FoundDifference(this.#refused);
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
        return this.#operator();
      default:
        return this.#readLetter(char);
    }
  }

  /** Reads a character that has a meaning only in some places of a word. */
  #readLetter(char: string): void {
    const next = this.#text[this.#at + 1] ?? "";
    const starts = this.#word === undefined;
    if (char === "#" && starts) return this.#comment();
    if (char === "`") throw new FoundSubstitution();
    if (char === "=" && starts && !/^[\s;&|<>()]?$/.test(next)) throw new FoundDifference("=…");
    if (char === "~" && starts && /[-+[0-9]/.test(next)) throw new FoundDifference(`~${next}`);
    if (char === "!") this.#history();
    if (char === "{") this.#braces++;
    if (char === "}") this.#closeBrace();
    this.#take(1);
  }

  #take(length: number): void {
    this.#word ??= this.#at;
    this.#at += length;
  }

  /** Reads a `}`: zsh ends a group at any `}` that closes nothing in its word. */
  #closeBrace(): void {
    const closesGroup = this.#word === undefined && this.#startsCommand;
    if (!closesGroup && --this.#braces < 0) throw new FoundDifference("}");
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
    if (NOT_IN_DASH.has(word)) throw new FoundDifference(word);
    if (ODD_ASSIGNMENT.test(word))
      throw new FoundDifference("an assignment that dash does not know");
    this.#startsCommand = COMMAND_FOLLOWS.has(word) || ASSIGNMENT.test(word);
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
    for (const part of body.expanded) {
      // Shells disagree on whether lines are joined before or after looking for the end.
      if (this.#text.slice(part.start, part.end).includes("\\\n"))
        throw new FoundDifference("a line continuation");
      this.#at = part.start;
      while (this.#at < part.end) this.#inText(part.end);
    }
    this.#at = body.end;
  }

  /** Reads text between double quotes or in a here-document, where only `$`, `\` and `` ` `` have a meaning. */
  #inText(end: number): void {
    const char = this.#text[this.#at];
    if (char === "$") return this.#dollar(true);
    if (char === "`") throw new FoundSubstitution();
    if (char === "\\" && this.#at + 1 < end) this.#at++;
    this.#at++;
  }

  #escape(): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (next !== "\n") {
      // fish has `\x3b`, `\n` and similar escapes outside quotes, too.
      if (this.#isTyped && /[A-Za-z0-9]/.test(next)) throw new FoundDifference(`\\${next}`);
      return this.#take(2);
    }
    if (!isBetweenWords(this.#text, this.#at) || this.#waiting.length > 0)
      throw new FoundDifference("a line continuation");
    this.#endWord();
    this.#at += 2;
  }

  #singleQuotes(): void {
    const close = this.#text.indexOf("'", this.#at + 1);
    if (close < 0) throw new FoundDifference("an open quote");
    this.#word ??= this.#at;
    this.#requireSingleLine(close);
    if (this.#isTyped && isEscaped(this.#text, close)) throw new FoundDifference("\\'");
    this.#at = close + 1;
  }

  #doubleQuotes(): void {
    this.#word ??= this.#at;
    const open = this.#at++;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) throw new FoundDifference("an open quote");
      if (char === '"') break;
      if (char === "!") this.#history();
      this.#inText(this.#text.length);
    }
    this.#requireSingleLine(this.#at, open);
    this.#at++;
  }

  /**
   * Throws if a part spans lines where that matters: shells disagree on which line break ends the line
   * of a here-document, and an interactive shell that rejects the first line runs the next one as a
   * command.
   */
  #requireSingleLine(end: number, start = this.#at): void {
    const isFragile = this.#waiting.length > 0 || this.#isTyped;
    if (isFragile && this.#text.slice(start, end).includes("\n"))
      throw new FoundDifference("a quote over several lines");
  }

  #dollar(isQuoted: boolean): void {
    const found = readExpansion(this.#text, this.#at, isQuoted);
    if (found.differs !== undefined) throw new FoundDifference(found.differs);
    if (found.isSubstitution === true) throw new FoundSubstitution();
    if (found.isNotPortable === true) this.#refused ??= "${…}";
    if (!isQuoted) this.#word ??= this.#at;
    this.#at = found.end;
  }

  #history(): void {
    HISTORY_REFERENCE.lastIndex = this.#at;
    if (this.#isTyped && HISTORY_REFERENCE.test(this.#text)) throw new FoundDifference("!…");
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
      // Without an open parenthesis it ends a pattern of `case`.
      this.#startsCommand = this.#parentheses === 0;
      this.#parentheses = Math.max(0, this.#parentheses - 1);
    } else {
      // May be a qualifier of zsh, an array, a function or arithmetic.
      if (this.#word !== undefined || !this.#startsCommand) throw new FoundDifference("(…)");
      if (this.#text[this.#at + 1] === "(") throw new FoundDifference("((…))");
      this.#parentheses++;
    }
    this.#at++;
  }

  #operator(): void {
    const found = readOperator(this.#text, this.#at);
    if (found.difference !== undefined) throw new FoundDifference(found.difference);
    this.#refused ??= found.rejectedForm;
    this.#startCommand();
    this.#at = found.end;
  }

  #redirect(): void {
    const before = this.#word === undefined ? "" : this.#text.slice(this.#word, this.#at);
    const found = readRedirect(this.#text, this.#at, before);
    if (found.difference !== undefined) throw new FoundDifference(found.difference);
    this.#refused ??= found.rejectedForm;
    // A descriptor is not a word of the command.
    if (/^\d$/.test(before)) this.#word = undefined;
    this.#endWord();
    this.#at = found.end;
    if (found.opensProcess === true) {
      this.#parentheses++;
      this.#startCommand();
    } else if (found.document === undefined) {
      this.#isTarget = true;
    } else {
      if (this.#parentheses > 0) throw new FoundDifference("<<");
      if (this.#isTyped) this.#refused ??= "<<";
      this.#waiting.push(found.document);
    }
  }
}

// Owns the effect of each key on a pending line: what the line is afterwards, and which lines were
// sent. Pure. In doubt a line is unknown.

import type { KeyInput } from "./named-keys.ts";
import type {
  SentLine,
  LineContext,
  LineGrammar,
  PendingLine,
  UnknownLine,
  UnknownReason,
} from "./pending-line.ts";
import type { InputReader } from "./shell-programs.ts";

/** At least this much of a line is stored, and at most twice that. */
export const MAX_TYPED_CHARS = 4_096;

/** A call that submits more lines is approved as a whole. */
export const MAX_SENT_LINES = 200;

/**
 * Move in the line or delete from it; they open no search or completion that an Enter would end.
 */
const CURSOR_KEYS: ReadonlySet<string> = new Set("Left Right Home End Del Delete".split(" "));
/** Replace the line with one of the history, whose content is unknown. */
const RECALL_KEYS: ReadonlySet<string> = new Set(["Up", "Down"]);

const ENTERS: ReadonlySet<string> = new Set(["\r", "\n"]);
/** `operate-and-get-next`: runs the line and replaces it with one of the history. */
export const RUN_AND_NEXT = "\x0f";
/** Within a line it submits the text; at its start it is end-of-file. */
const END_OF_INPUT = "\x04";
const INTERRUPT = "\x03";
/**
 * Without text before them these do nothing: ^A ^B ^E ^F ^G ^H ^K ^L ^T ^U ^W, ^Z, ^\, Backspace.
 */
const NOTHING_WHEN_EMPTY: ReadonlySet<string> = new Set(
  "\x01\x02\x05\x06\x07\b\x0b\f\x14\x15\x17\x1a\x1c\x7f",
);
/** Insert other text into the line: ^N and ^P the history, ^Y the deleted text. */
const RECALLS: ReadonlySet<string> = new Set("\x0e\x10\x19");
/** May run something immediately: an editor for the line, a key with a macro. */
const MAY_RUN: ReadonlySet<string> = new Set(["\x18", "\x1b"]);
/** Completion: zsh expands the line for it, and shells run programs and Makefiles to list words. */
const TAB = "\t";
/** A single name is completed from folders and lists, and runs nothing. */
const NAME_ALONE = /^\s*[\w@%+:,./-]*$/;
const PLAIN = /^[ -~]$/;
/**
 * History expansion: interactive shells replace it, and some show the result instead of running it.
 */
const HISTORY = /!(?=[^\s=(])|^\s*\^/;
/** Builtins that wait or read inside the shell: it looks like a prompt, but is not. */
const BLOCKS_SHELL =
  /(?:^|[\s;&|({])(?:read|wait|mapfile|readarray|vared|sysread|zselect|suspend|source|\.|eval|exec|fg)(?=$|[\s;&|)}])/;
/** Commands that never read the terminal: the next line of the same call stays known. */
const READS_NOTHING =
  /^\s*(?:(?:cd|ls|echo|pwd|true|date|whoami|id|uname)(?: +[\w./:@%+,=~-]+)*)?\s*$/;

/** Tracks one call's keys. */
export class LineEditor {
  readonly sent: SentLine[] = [];
  isCut = false;
  /** Everything up to the last submitted line. */
  text = "";
  shown = "";
  readonly ahead: KeyInput[] = [];
  /** Characters since then. */
  #unsent: string;
  #unsentShown: string;

  readonly #context: LineContext;
  readonly #grammar: LineGrammar;
  #line: PendingLine;
  /** An earlier line of this call may still run: what follows is typed ahead. */
  #isAhead = false;
  /** A submitted line of this call may start a program. */
  #mayStart = false;
  /** The previous key completed a name; one more lists the names. */
  #hasCompletedName = false;

  constructor(line: PendingLine, context: LineContext, grammar: LineGrammar) {
    this.#line = line;
    this.#context = context;
    this.#grammar = grammar;
    this.#unsent = line.kind === "known" ? line.text : line.typed;
    this.#unsentShown = line.kind === "known" ? line.text : line.shown;
  }

  get line(): PendingLine {
    if (this.#line.kind === "known") return this.#line;
    return { ...this.#line, shown: this.#unsentShown.slice(-MAX_TYPED_CHARS) };
  }

  /** Handles a named key of the call. */
  pressKey(name: string, bytes: string): void {
    if (bytes === " " || ENTERS.has(bytes)) return this.press(bytes);
    if (this.#mayStart) this.ahead.push({ kind: "key", name, bytes });
    this.#unsentShown += `<${name}>`;
    if (bytes !== TAB) this.#hasCompletedName = false;
    if (CURSOR_KEYS.has(name)) return this.#edit();
    if (RECALL_KEYS.has(name)) return this.#recall();
    for (const char of bytes) this.#take(char);
    return undefined;
  }

  /** Handles a character of the call's text. */
  press(char: string): void {
    if (!ENTERS.has(char)) {
      if (this.#mayStart) this.ahead.push({ kind: "text", text: char });
      this.#unsentShown += isPrinted(char) ? char : toCaret(char);
    }
    this.#take(char);
  }

  #take(char: string): void {
    if (char === TAB) return this.#complete();
    this.#hasCompletedName = false;
    if (isPrinted(char)) this.#unsent += char;
    const isEmpty = this.#line.kind === "known" && this.#line.text === "";
    if (ENTERS.has(char)) this.#enter();
    else if (char === RUN_AND_NEXT) {
      this.#send();
      this.#makeUnknown("\n", false);
    } else if (char === END_OF_INPUT) {
      if (isLineEmpty(this.#line)) return;
      this.#makeUnknown("", false);
      this.#send();
    } else if (char === INTERRUPT) this.#interrupt();
    else if (PLAIN.test(char)) this.#append(char);
    else if (NOTHING_WHEN_EMPTY.has(char)) {
      if (!isEmpty) this.#edit();
    } else if (RECALLS.has(char)) this.#recall();
    else if (char >= "\u00A0") {
      // Without UTF-8, a shell reads the bytes of other characters as keys.
      this.#makeUnknown(char, true);
    } else {
      this.#makeUnknown("", false);
      if (MAY_RUN.has(char) && isShell(this.#context.reader)) this.#send();
    }
  }

  #complete(): void {
    const line = this.#line;
    const isName = line.kind === "known" && NAME_ALONE.test(line.text);
    this.#hasCompletedName ||= isName;
    if (isShell(this.#context.reader) && !this.#hasCompletedName) {
      const [mayStart, text, shown] = [this.#mayStart, this.#unsent, this.#unsentShown];
      this.#send();
      // Starts no program that reads, and the text stays in the line.
      this.#mayStart = mayStart;
      if (!this.isCut) this.#unsent += text.trimStart().slice(-MAX_TYPED_CHARS);
      if (!this.isCut) this.#unsentShown += shown.trimStart().slice(-MAX_TYPED_CHARS);
    }
    this.#makeUnknown("", false);
  }

  /** Handles a key that edits the line in an untracked way; Enter still ends the line. */
  #edit(): void {
    this.#makeUnknown("", true);
  }

  /** Handles a key that inserts unknown text: an Enter may then open a quote or a block. */
  #recall(): void {
    this.#makeUnknown("", false);
  }

  #append(char: string): void {
    const line = this.#line;
    const isAtPrompt = this.#context.reader === "prompt" && !this.#isAhead;
    if (line.kind === "unknown" || !isAtPrompt || line.text.length >= MAX_TYPED_CHARS) {
      return this.#makeUnknown(char, true);
    }
    this.#line = { ...line, text: line.text + char, group: this.#context.group };
  }

  /** Handles ^C: a shell at its prompt leaves every mode, but a key before may make it literal. */
  #interrupt(): void {
    const line = this.#line;
    if (line.kind === "known") {
      if (line.text !== "") this.#edit();
      return;
    }
    // Any other program may read it as a key.
    if (this.#context.reader !== "prompt" || this.#isAhead) return;
    const typed = line.typed.slice(line.typed.lastIndexOf("\n") + 1);
    const { generation } = line;
    this.#line =
      typed === "" && !line.hasForeignText && line.isEnterSure
        ? { kind: "known", text: "", group: this.#context.group, generation }
        : { ...line, typed, isEnterSure: true };
  }

  #enter(): void {
    this.#send();
    const line = this.#line;
    const text = line.kind === "known" ? line.text : line.typed;
    const isOver = this.#isOver(line, text);
    // An unknown line may start a program that reads what follows, including an interrupt.
    if (line.kind === "unknown" || !READS_NOTHING.test(text)) this.#isAhead = true;
    if (!isOver) return this.#makeUnknown("\n", true);
    const { generation } = line;
    this.#line = { kind: "known", text: "", group: this.#context.group, generation };
    return undefined;
  }

  /** Whether nothing of the line, and nothing that it opened, is left after its Enter. */
  #isOver(line: PendingLine, text: string): boolean {
    const last = text.slice(text.lastIndexOf("\n") + 1);
    if (HISTORY.test(last) || BLOCKS_SHELL.test(last)) return false;
    if (line.kind === "known") return this.#grammar.isSurelyComplete(text);
    return line.isEnterSure && this.#grammar.leavesNothingOpen(text);
  }

  #send(): void {
    const line = this.#line;
    this.text += this.#unsent;
    this.shown += this.#unsentShown;
    this.#unsent = "\n";
    this.#unsentShown = "\n";
    if (line.kind === "unknown" || !READS_NOTHING.test(line.text)) this.#mayStart = true;
    if (this.sent.length >= MAX_SENT_LINES) {
      this.isCut = true;
      return;
    }
    if (line.kind === "known") {
      const { text } = line;
      if (text === "") this.sent.push({ kind: "known", text });
      else if (HISTORY.test(text)) this.sent.push({ kind: "unknown", typed: text, why: "edited" });
      else this.sent.push({ kind: "known", text });
    } else this.sent.push({ kind: "unknown", typed: line.typed, why: this.#why(line) });
  }

  #why(line: UnknownLine): UnknownReason {
    if (line.hasForeignText) return "foreign";
    if (!isShell(this.#context.reader) || this.#context.reader === "elsewhere") return "reader";
    if (this.#isAhead || this.#context.reader === "busy") return "ahead";
    return "edited";
  }

  #makeUnknown(added: string, isEnterSure: boolean): void {
    const line = toUnknown(this.#line);
    const longer = line.typed + added;
    // Cut rarely: a cut copies the text.
    const typed = longer.length > 2 * MAX_TYPED_CHARS ? longer.slice(-MAX_TYPED_CHARS) : longer;
    this.#line = { ...line, typed, isEnterSure: line.isEnterSure && isEnterSure };
  }
}

function isShell(reader: InputReader): boolean {
  return reader === "prompt" || reader === "busy" || reader === "elsewhere";
}

/** Whether no text is before the cursor, whatever earlier lines left open. */
function isLineEmpty(line: PendingLine): boolean {
  if (line.kind === "known") return line.text === "";
  return !line.hasForeignText && line.isEnterSure && /(?:^|\n)$/.test(line.typed);
}

export function toUnknown(line: PendingLine): UnknownLine {
  if (line.kind === "unknown") return line;
  const { text, generation } = line;
  return {
    kind: "unknown",
    typed: text,
    shown: text,
    hasForeignText: false,
    isEnterSure: true,
    generation,
  };
}

function isPrinted(char: string): boolean {
  return char >= " " && char !== "\x7f";
}

/** Returns a control character as terminals echo it: `^U`. */
function toCaret(char: string): string {
  return `^${String.fromCharCode(char.charCodeAt(0) ^ 0x40)}`;
}

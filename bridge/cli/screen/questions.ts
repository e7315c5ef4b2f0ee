// Owns agents' questions on the first screen: which one is shown, which key answers it, and the
// reason that may follow a no. A state machine: does not print, reads no terminal and answers nothing
// by itself; whoever made it does what it says, and its clock comes in.

import type { Approval, ApprovalSettled, ApprovalWord } from "../../../protocol/approval.ts";
import { MAX_REASON_CHARS } from "../../../protocol/approval.ts";

/** A key that was on its way to the question before is none for the next. */
const READING_MS = 300;

/** Enter, Escape and Ctrl-C. */
const ENDS = ["\r", "\n", "\u001B", "\u0003"];

const WORDS: ReadonlyMap<string, ApprovalWord> = new Map([
  ["y", "once"],
  ["a", "session"],
  ["p", "prefix"],
  ["n", "deny"],
]);

export interface QuestionActions {
  /** Shows it, with how many wait behind it. False: not all of it fits, so it is not allowed here. */
  show(approval: Approval, behind: number): boolean;
  /** So many wait behind the one that is shown. */
  more(behind: number): void;
  answer(id: string, answer: ApprovalWord, reason?: string): void;
  /** Of one that was on the screen or waited for it. */
  settled(settled: ApprovalSettled): void;
  /** A key that means nothing for this question; the sentence says why. */
  hint(sentence: string): void;
  askReason(): void;
  /** What is typed of a reason, and what is taken back. */
  typed(text: string): void;
  erased(text: string): void;
  /** The reason is over: the next line begins. */
  lineEnds(): void;
  now(): number;
}

/** busy: the keys are another question's, or the screen is being filled. away: nobody has the keys. */
export type Hold = "busy" | "away";

interface Shown {
  readonly approval: Approval;
  readonly isWhole: boolean;
  /** From when on keys count. */
  readonly from: number;
}

interface Reason {
  readonly shown: Shown;
  text: string;
}

export class Questions {
  readonly #actions: QuestionActions;
  readonly #waiting: Approval[] = [];
  #shown: Shown | undefined;
  #reason: Reason | undefined;
  /** A reason lost its question while it was typed: its other letters are no commands. */
  #isStray = false;
  readonly #holds = new Set<Hold>();
  /** When the last one left the screen. */
  #leftAt = Number.NEGATIVE_INFINITY;

  constructor(actions: QuestionActions) {
    this.#actions = actions;
  }

  /** Keys are text: a reason is being typed. */
  get isTyping(): boolean {
    return this.#reason !== undefined || this.#isStray;
  }

  asked(approval: Approval): void {
    this.#waiting.push(approval);
    if (this.#shown !== undefined) this.#actions.more(this.#waiting.length - 1);
    else if (this.#reason === undefined) this.#next();
  }

  settled(settled: ApprovalSettled): void {
    const at = this.#waiting.findIndex(({ id }) => id === settled.id);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    const isShown = [this.#shown, this.#reason?.shown].some(
      (shown) => shown?.approval.id === settled.id,
    );
    const reason = this.#reason?.shown.approval.id === settled.id ? this.#reason : undefined;
    if (reason !== undefined) this.#endReason();
    this.#actions.settled(settled);
    if (reason !== undefined && reason.text !== "") {
      this.#isStray = true;
      this.#actions.hint("it was settled while you typed: press Enter to go on");
    }
    if (!isShown) return;
    this.#shown = undefined;
    this.#leftAt = this.#actions.now();
    this.#next();
  }

  hold(why: Hold): void {
    if (this.#reason !== undefined) this.#endReason();
    this.#holds.add(why);
    this.#shown = undefined;
  }

  /** Shows what waits, once more if it was on the screen before. */
  release(why: Hold): void {
    if (this.#holds.delete(why) && this.#holds.size === 0) this.#next();
  }

  /** Whether the letter was an answer, or was meant to be one. */
  press(letter: string): boolean {
    const word = WORDS.get(letter);
    if (word === undefined || this.#shown === undefined) return false;
    const { approval, from, isWhole } = this.#shown;
    if (this.#actions.now() < from) this.#actions.hint("that was quick: read it, then press again");
    else if (!approval.offers.includes(word))
      this.#actions.hint(`${letter} is not offered for this`);
    else if (word === "deny") this.#askReason(this.#shown);
    else if (isWhole) this.#actions.answer(approval.id, word);
    else
      this.#actions.hint(
        "it does not fit this window: answer in the page, or see `pairpty approvals`",
      );
    return true;
  }

  /** Raw input while a reason is typed. */
  type(input: string): void {
    const reason = this.#reason;
    if (reason === undefined) {
      if (ENDS.some((key) => input.includes(key))) this.#isStray = false;
      return;
    }
    // Arrows and the like are no text; Escape alone, and Ctrl-C, take the no back.
    if (input === "\u001B" || input.includes("\u0003")) return this.#back(reason);
    if (input.startsWith("\u001B")) return;
    for (const letter of input) {
      if (letter === "\r" || letter === "\n") return this.#deny(reason);
      this.#edit(reason, letter);
    }
  }

  #next(): void {
    const [first, ...behind] = this.#waiting;
    if (first === undefined || this.#holds.size > 0) return;
    const isWhole = this.#actions.show(first, behind.length);
    const now = this.#actions.now();
    const isSoon = now - this.#leftAt < READING_MS;
    this.#shown = { approval: first, isWhole, from: isSoon ? now + READING_MS : now };
  }

  #askReason(shown: Shown): void {
    this.#actions.askReason();
    this.#shown = undefined;
    this.#reason = { shown, text: "" };
  }

  #edit(reason: Reason, letter: string): void {
    if (letter === "\u007F" || letter === "\b") {
      const last = Array.from(reason.text).at(-1);
      if (last === undefined) return;
      reason.text = reason.text.slice(0, -last.length);
      return this.#actions.erased(last);
    }
    const isText = !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(letter);
    if (!isText || reason.text.length + letter.length > MAX_REASON_CHARS) return undefined;
    reason.text += letter;
    return this.#actions.typed(letter);
  }

  #deny({ shown, text }: Reason): void {
    this.#endReason();
    const reason = text.trim();
    this.#shown = shown;
    this.#actions.answer(shown.approval.id, "deny", reason === "" ? undefined : reason);
  }

  #back({ shown }: Reason): void {
    this.#endReason();
    this.#shown = shown;
    this.#actions.hint("not denied: the question is still open");
  }

  #endReason(): void {
    this.#reason = undefined;
    this.#actions.lineEnds();
  }
}

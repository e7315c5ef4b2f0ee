// Owns agents' approvals on the first screen: which one is shown, which key answers it, and the reason
// after a denial. A state machine: does not print or read a terminal; clock and actions are injected.

import type { Approval, ApprovalSettled, ApprovalWord } from "../../../protocol/approval.ts";
import { MAX_REASON_CHARS } from "../../../protocol/approval.ts";

/** Ignores a key that was meant for the previous approval. */
const MIN_READING_MS = 300;

/** Enter, Escape and Ctrl-C. */
const LINE_END_KEYS = ["\r", "\n", "\u001B", "\u0003"];

const ANSWER_BY_KEY: ReadonlyMap<string, ApprovalWord> = new Map([
  ["y", "once"],
  ["a", "session"],
  ["p", "prefix"],
  ["n", "deny"],
]);

export interface ApprovalActions {
  /**
   * Shows the approval and how many wait behind it. Returns false if it does not fit, so that it cannot
   * be allowed here.
   */
  show(approval: Approval, behind: number): boolean;
  /** Shows how many more wait. */
  showWaiting(behind: number): void;
  answer(id: string, answer: ApprovalWord, reason?: string): void;
  /** Shows the outcome of an approval that was shown or waiting. */
  showSettled(settled: ApprovalSettled): void;
  /** Shows why a key has no effect. */
  hint(sentence: string): void;
  askReason(): void;
  /** Echoes typed text of a reason, and erases it. */
  echo(text: string): void;
  erase(text: string): void;
  /** Ends the line of the reason. */
  endLine(): void;
  now(): number;
}

/** busy: another question uses the keys, or the screen is being filled. away: no keys arrive here. */
export type HoldReason = "busy" | "away";

interface ShownApproval {
  readonly approval: Approval;
  readonly isWhole: boolean;
  /** Time from which keys count as answers. */
  readonly keysFrom: number;
}

interface DenialReason {
  readonly shown: ShownApproval;
  text: string;
}

export class ApprovalQueue {
  readonly #actions: ApprovalActions;
  readonly #waiting: Approval[] = [];
  #shown: ShownApproval | undefined;
  #reason: DenialReason | undefined;
  /** The approval was settled while its reason was typed: further letters are not commands. */
  #ignoresTyping = false;
  readonly #holds = new Set<HoldReason>();
  /** When the last approval left the screen. */
  #lastShownAt = Number.NEGATIVE_INFINITY;

  constructor(actions: ApprovalActions) {
    this.#actions = actions;
  }

  /** Whether keys are text of a reason. */
  get isTyping(): boolean {
    return this.#reason !== undefined || this.#ignoresTyping;
  }

  add(approval: Approval): void {
    this.#waiting.push(approval);
    if (this.#shown !== undefined) this.#actions.showWaiting(this.#waiting.length - 1);
    else if (this.#reason === undefined) this.#next();
  }

  onSettled(settled: ApprovalSettled): void {
    const at = this.#waiting.findIndex(({ id }) => id === settled.id);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    const isShown = [this.#shown, this.#reason?.shown].some(
      (shown) => shown?.approval.id === settled.id,
    );
    const reason = this.#reason?.shown.approval.id === settled.id ? this.#reason : undefined;
    if (reason !== undefined) this.#endReason();
    this.#actions.showSettled(settled);
    if (reason !== undefined && reason.text !== "") {
      this.#ignoresTyping = true;
      this.#actions.hint("it was answered elsewhere while you typed: press Enter to continue");
    }
    if (!isShown) return;
    this.#shown = undefined;
    this.#lastShownAt = this.#actions.now();
    this.#next();
  }

  hold(why: HoldReason): void {
    if (this.#reason !== undefined) this.#endReason();
    this.#holds.add(why);
    this.#shown = undefined;
  }

  /** Shows the next approval, again if it was on the screen before. */
  release(why: HoldReason): void {
    if (this.#holds.delete(why) && this.#holds.size === 0) this.#next();
  }

  /** Whether the letter was an answer, or was meant as one. */
  press(letter: string): boolean {
    const word = ANSWER_BY_KEY.get(letter);
    if (word === undefined || this.#shown === undefined) return false;
    const { approval, keysFrom, isWhole } = this.#shown;
    if (this.#actions.now() < keysFrom)
      this.#actions.hint("pressed too quickly: read it, then press again");
    else if (!approval.offers.includes(word))
      this.#actions.hint(`${letter} is not available for this one`);
    else if (word === "deny") this.#askReason(this.#shown);
    else if (isWhole) this.#actions.answer(approval.id, word);
    else
      this.#actions.hint(
        "it does not fit in this window: answer in the page, or see `pairpty approvals`",
      );
    return true;
  }

  /** Handles raw input while a reason is typed. */
  type(input: string): void {
    const reason = this.#reason;
    if (reason === undefined) {
      if (LINE_END_KEYS.some((key) => input.includes(key))) this.#ignoresTyping = false;
      return;
    }
    // Ignores arrow keys and the like; Escape alone and Ctrl-C cancel the denial.
    if (input === "\u001B" || input.includes("\u0003")) return this.#cancelDenial(reason);
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
    const isSoon = now - this.#lastShownAt < MIN_READING_MS;
    this.#shown = { approval: first, isWhole, keysFrom: isSoon ? now + MIN_READING_MS : now };
  }

  #askReason(shown: ShownApproval): void {
    this.#actions.askReason();
    this.#shown = undefined;
    this.#reason = { shown, text: "" };
  }

  #edit(reason: DenialReason, letter: string): void {
    if (letter === "\u007F" || letter === "\b") {
      const last = Array.from(reason.text).at(-1);
      if (last === undefined) return;
      reason.text = reason.text.slice(0, -last.length);
      return this.#actions.erase(last);
    }
    const isText = !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(letter);
    if (!isText || reason.text.length + letter.length > MAX_REASON_CHARS) return undefined;
    reason.text += letter;
    return this.#actions.echo(letter);
  }

  #deny({ shown, text }: DenialReason): void {
    this.#endReason();
    const reason = text.trim();
    this.#shown = shown;
    this.#actions.answer(shown.approval.id, "deny", reason === "" ? undefined : reason);
  }

  #cancelDenial({ shown }: DenialReason): void {
    this.#endReason();
    this.#shown = shown;
    this.#actions.hint("not denied: the approval is still open");
  }

  #endReason(): void {
    this.#reason = undefined;
    this.#actions.endLine();
  }
}

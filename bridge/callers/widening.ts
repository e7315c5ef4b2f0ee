// Owns whether something that widens (a yes to an agent, a link, a token) needs the code of this run
// at the sockets of this machine. Code that an agent runs without a wall is the user there: nothing
// but the code, which is told at no socket, tells the two apart. Does not know what widens.

import { createHash, randomInt, timingSafeEqual } from "node:crypto";

/** Eight digits: 5 guesses a minute find it in 17 years on average. */
const CODE_DIGITS = 8;
const MOST_WRONG = 5;
const WRONG_WINDOW_MS = 60_000;

export interface CodeRefusal {
  /** Whether asking for the code would help. */
  readonly why: "needed" | "wrong" | "too often";
  readonly error: string;
  readonly hint: string;
}

export interface WideningWish {
  readonly code?: string;
  /** Under a bridge before this one, in the same pty host. */
  readonly agentRan: boolean;
  /** From now on the code is needed; told once. */
  readonly onAgentRan?: () => void;
  readonly onWrong?: () => void;
  readonly now?: () => number;
}

const WHERE =
  "The key k in the window where you started pairpty shows it; a pairpty that was started with --json printed it as `code` in its first line.";

export class Widening {
  /** Of this run. For the bridge's own window and its own output, and for nothing else. */
  readonly code: string;
  readonly #wish: WideningWish;
  readonly #now: () => number;
  #agentRan: boolean;
  #wrongAt: number[] = [];

  constructor(wish: WideningWish) {
    this.#wish = wish;
    this.#now = wish.now ?? Date.now;
    this.#agentRan = wish.agentRan;
    this.code = wish.code ?? newCode();
  }

  get hasAgentRun(): boolean {
    return this.#agentRan;
  }

  /** Before an agent's code starts without a wall, or comes in as a program of this machine. */
  agentRan(): void {
    if (this.#agentRan) return;
    this.#agentRan = true;
    this.#wish.onAgentRan?.();
  }

  /** Undefined when it may. A wrong code is refused also where none is needed. */
  whyNot(code: string | undefined): CodeRefusal | undefined {
    if (code === undefined) return this.#agentRan ? NEEDED : undefined;
    const now = this.#now();
    this.#wrongAt = this.#wrongAt.filter((at) => now - at < WRONG_WINDOW_MS);
    const [first = now] = this.#wrongAt;
    if (this.#wrongAt.length >= MOST_WRONG) return tooOften(first + WRONG_WINDOW_MS - now);
    if (isSame(code.replaceAll(/[\s-]/g, ""), this.code)) return undefined;
    this.#wrongAt.push(now);
    this.#wish.onWrong?.();
    return { why: "wrong", error: "this is not the code of the running pairpty", hint: WHERE };
  }
}

const NEEDED: CodeRefusal = {
  why: "needed",
  error: "an agent has run code on this machine, so this needs the code: --code N",
  hint: `${WHERE} The keys of that window need no code.`,
};

function tooOften(waitMs: number): CodeRefusal {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return {
    why: "too often",
    error: `too many wrong codes: pairpty accepts none for ${seconds} s`,
    hint: "Meanwhile, use pairpty's own window or a page with an edit link.",
  };
}

function newCode(): string {
  return String(randomInt(10 ** (CODE_DIGITS - 1), 10 ** CODE_DIGITS));
}

/** Takes as long whatever is given. */
function isSame(given: string, code: string): boolean {
  return timingSafeEqual(digest(given), digest(code));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

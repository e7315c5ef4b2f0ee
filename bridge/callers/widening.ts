// Owns whether something that widens (a yes to an agent, a link, a token) needs the code of this run
// at the sockets of this machine. An agent's program, or code that it runs without a wall, is the user
// there: only the code, which no socket gives out, tells the two apart. Does not know what widens.

import { createHash, randomInt, timingSafeEqual } from "node:crypto";

/** Eight digits: 5 guesses a minute find it in 17 years on average. */
const CODE_DIGITS = 8;
const MAX_WRONG = 5;
const WRONG_WINDOW_MS = 60_000;

export interface CodeRefusal {
  /** Whether asking for the code would help. */
  readonly why: "needed" | "wrong" | "too often";
  readonly error: string;
  readonly hint: string;
}

export interface WideningWish {
  readonly code?: string;
  /** Whether an agent called a bridge before this one, with the same pty host. */
  readonly hasAgentCalled: boolean;
  /** Fires once, with the first call. */
  readonly onFirstCall?: () => void;
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
  #hasAgentCalled: boolean;
  #wrongAt: number[] = [];

  constructor(wish: WideningWish) {
    this.#wish = wish;
    this.#now = wish.now ?? Date.now;
    this.#hasAgentCalled = wish.hasAgentCalled;
    this.code = wish.code ?? newCode();
  }

  get hasAgentCalled(): boolean {
    return this.#hasAgentCalled;
  }

  /** Records a call of an agent, by whatever door, before the call is served. */
  agentCalled(): void {
    if (this.#hasAgentCalled) return;
    this.#hasAgentCalled = true;
    this.#wish.onFirstCall?.();
  }

  /**
   * Returns why a request is refused; undefined if it is allowed. `isAllow`: it answers an agent's
   * question with a yes, which needs the code whether an agent is known or not: only an agent asks.
   * A wrong code is refused also where none is needed.
   */
  whyNot(code: string | undefined, isAllow = false): CodeRefusal | undefined {
    if (code === undefined) {
      if (isAllow) return NEEDED_TO_ALLOW;
      return this.#hasAgentCalled ? NEEDED : undefined;
    }
    const now = this.#now();
    this.#wrongAt = this.#wrongAt.filter((at) => now - at < WRONG_WINDOW_MS);
    const [first = now] = this.#wrongAt;
    if (this.#wrongAt.length >= MAX_WRONG) return tooOften(first + WRONG_WINDOW_MS - now);
    if (isSame(code.replaceAll(/[\s-]/g, ""), this.code)) return undefined;
    this.#wrongAt.push(now);
    this.#wish.onWrong?.();
    return {
      why: "wrong",
      error: "wrong code: this is not the code of the running pairpty",
      hint: WHERE,
    };
  }
}

const NEEDED: CodeRefusal = {
  why: "needed",
  error:
    "an agent has used this pairpty, and its programs could call this as you do, so it needs the code: add --code",
  hint: `${WHERE} The keys of that window need no code.`,
};

const NEEDED_TO_ALLOW: CodeRefusal = {
  why: "needed",
  error: "the agent that asks could call this as you do, so an allow needs the code: add --code",
  hint: `${WHERE} In that window, and in a page with an Edit link, you answer without it.`,
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

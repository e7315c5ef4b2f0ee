// Owns whether a request that widens access (an allow, a link, a token) needs this run's
// confirmation code at the sockets of this machine. An agent's program, or code that it runs
// without a sandbox, acts there with the user's rights; only the code, which no socket reveals,
// tells the two apart. Does not know which requests widen.

import { createHash, randomInt, timingSafeEqual } from "node:crypto";

/** Eight digits: 5 guesses a minute take 17 years on average. */
const CODE_DIGITS = 8;
const MAX_WRONG_CODES = 5;
const WRONG_WINDOW_MS = 60_000;

export interface CodeRefusal {
  /** Reason; on "needed" the CLI may prompt for the code. */
  readonly why: "needed" | "wrong" | "too often";
  readonly error: string;
  readonly hint: string;
}

export interface ElevationGateOptions {
  readonly code?: string;
  /** Whether an agent has called an earlier bridge on the same pty host. */
  readonly hasAgentCalled: boolean;
  /** Fires once, on the first call of an agent. */
  readonly onFirstCall?: () => void;
  readonly onWrong?: () => void;
  readonly now?: () => number;
}

const WHERE_TO_FIND_CODE =
  "The key k in the window where you started pairpty shows it; with --json it is `code` in the first line.";

export class ElevationGate {
  /** The code of this run. Shown only in the bridge's own window and output. */
  readonly code: string;
  readonly #options: ElevationGateOptions;
  readonly #now: () => number;
  #hasAgentCalled: boolean;
  #wrongAt: number[] = [];

  constructor(options: ElevationGateOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#hasAgentCalled = options.hasAgentCalled;
    this.code = options.code ?? newCode();
  }

  get hasAgentCalled(): boolean {
    return this.#hasAgentCalled;
  }

  /** Records that an agent called, at any door. Call before the request is served. */
  recordAgentCall(): void {
    if (this.#hasAgentCalled) return;
    this.#hasAgentCalled = true;
    this.#options.onFirstCall?.();
  }

  /**
   * Returns why a request is refused; undefined if it is allowed. `isAllow`: the request allows
   * what an agent wants, which always needs the code, since an agent is certainly there. A wrong
   * code is refused even where none is needed.
   */
  checkCode(code: string | undefined, isAllow = false): CodeRefusal | undefined {
    if (code === undefined) {
      if (isAllow) return CODE_NEEDED_TO_ALLOW;
      return this.#hasAgentCalled ? CODE_NEEDED : undefined;
    }
    const now = this.#now();
    this.#wrongAt = this.#wrongAt.filter((at) => now - at < WRONG_WINDOW_MS);
    const [first = now] = this.#wrongAt;
    if (this.#wrongAt.length >= MAX_WRONG_CODES)
      return tooManyWrongCodes(first + WRONG_WINDOW_MS - now);
    if (constantTimeEqual(code.replaceAll(/[\s-]/g, ""), this.code)) return undefined;
    this.#wrongAt.push(now);
    this.#options.onWrong?.();
    return {
      why: "wrong",
      error: "wrong code",
      hint: WHERE_TO_FIND_CODE,
    };
  }
}

const CODE_NEEDED: CodeRefusal = {
  why: "needed",
  error: "an agent has used this pairpty, so this needs a confirmation code: add --code",
  hint: `${WHERE_TO_FIND_CODE} Keys pressed in that window need no code.`,
};

const CODE_NEEDED_TO_ALLOW: CodeRefusal = {
  why: "needed",
  error: "allowing an agent's request needs a confirmation code: add --code",
  hint: `${WHERE_TO_FIND_CODE} In that window, and in a page with an Edit link, you can answer without it.`,
};

function tooManyWrongCodes(waitMs: number): CodeRefusal {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return {
    why: "too often",
    error: `too many wrong codes: try again in ${seconds} s`,
    hint: "Until then, use pairpty's own window or a page with an Edit link.",
  };
}

function newCode(): string {
  return String(randomInt(10 ** (CODE_DIGITS - 1), 10 ** CODE_DIGITS));
}

/** Compares in constant time. */
function constantTimeEqual(given: string, code: string): boolean {
  return timingSafeEqual(digest(given), digest(code));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

// Owns the words of a judgement and their order. Knows nothing about commands.

/** From the mildest to the strictest. */
export type Verdict = "safe" | "unknown" | "dangerous" | "blocked";

/** Seed 004's `getCommandSafetyLevel`, which has no word for "blocked". */
export type Level = Exclude<Verdict, "blocked">;

export interface Judgement {
  readonly verdict: Verdict;
  /**
   * What seed 004 alone would say, hardened. It may be milder than the verdict: seed 000's patterns
   * are not seed 004's. Whoever asks a person by level takes `levelToAsk`, never this field.
   */
  readonly level: Level;
  readonly why: readonly string[];
  /**
   * What the findings are, without the operands that vary from call to call, sorted. Two commands with
   * the same kinds were judged for the same reasons [A24].
   */
  readonly kinds?: readonly string[];
  /** It is about pairpty itself [A11]: nobody is asked about it [J3]. */
  readonly isAboutUs?: true;
}

const ORDER: Readonly<Record<Verdict, number>> = { safe: 0, unknown: 1, dangerous: 2, blocked: 3 };

/** A person reads these in an approval; more than a handful is noise. */
const MAX_REASONS = 8;

export function stricter<V extends Verdict>(a: V, b: V): V {
  return ORDER[a] >= ORDER[b] ? a : b;
}

export function atLeast(verdict: Verdict, floor: Verdict): boolean {
  return ORDER[verdict] >= ORDER[floor];
}

/** The level a tool of seed 004 obeys: `blocked` counts as `dangerous` there (design, "Where the seeds meet"). */
export function levelToAsk(judgement: Judgement): Level {
  const own: Level = judgement.verdict === "blocked" ? "dangerous" : judgement.verdict;
  return stricter(own, judgement.level);
}

/** Collects findings; the strictest one is the verdict, and its reasons come first. */
export class Ledger {
  #verdict: Verdict = "safe";
  #level: Level = "safe";
  readonly #reasons = new Map<string, Verdict>();
  readonly #kinds = new Set<string>();
  #isAboutUs = false;

  aboutUs(): void {
    this.#isAboutUs = true;
  }

  /** Adds a kind that no reason names. */
  mark(kind: string): void {
    this.#kinds.add(kind);
  }

  note(verdict: Verdict, why: string, level: Level, kind = why): void {
    this.#verdict = stricter(this.#verdict, verdict);
    this.#level = stricter(this.#level, level);
    if (verdict === "safe") return;
    this.#kinds.add(kind);
    const known = this.#reasons.get(why);
    if (known === undefined || !atLeast(known, verdict)) this.#reasons.set(why, verdict);
  }

  judgement(): Judgement {
    const why = [...this.#reasons]
      .sort(([, a], [, b]) => ORDER[b] - ORDER[a])
      .slice(0, MAX_REASONS)
      .map(([reason]) => reason);
    const kinds = [...this.#kinds].sort();
    const judgement = { verdict: this.#verdict, level: this.#level, why, kinds };
    return this.#isAboutUs ? { ...judgement, isAboutUs: true } : judgement;
  }
}

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
  /** For people: the gravest first, without near-duplicates [Q70, Q71]. */
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

/**
 * How a finding is known: a rule understood the command; a pattern or a name only suggests it; or no
 * list has the call.
 */
export type Basis = "rule" | "hint" | "unlisted";

const BASIS_ORDER: Readonly<Record<Basis, number>> = { rule: 0, hint: 1, unlisted: 2 };

export interface FindingOptions {
  readonly level?: Level;
  /** `why` without the operands that vary from call to call; `why` itself without it. */
  readonly kind?: string;
  /** "rule" without it. */
  readonly basis?: Basis;
  /** The program that the finding is about, for dropping near-duplicates. */
  readonly program?: string | undefined;
  /** The sub-command that the finding is about, as one text. */
  readonly call?: string | undefined;
}

interface Reason {
  verdict: Verdict;
  basis: Basis;
  readonly program: string | undefined;
  /** Every sub-command that has this reason. */
  readonly calls: Set<string | undefined>;
}

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
  readonly #reasons = new Map<string, Reason>();
  readonly #kinds = new Set<string>();
  /** The gravest finding of any rule about a program. */
  readonly #gravestByProgram = new Map<string, Verdict>();
  readonly #gravestByCall = new Map<string, Verdict>();
  #isAboutUs = false;

  aboutUs(): void {
    this.#isAboutUs = true;
  }

  /** Adds a kind that no reason names. */
  mark(kind: string): void {
    this.#kinds.add(kind);
  }

  note(verdict: Verdict, why: string, options: FindingOptions = {}): void {
    const { level = verdict === "safe" ? "safe" : "unknown", kind = why, basis = "rule" } = options;
    const { program, call } = options;
    this.#verdict = stricter(this.#verdict, verdict);
    this.#level = stricter(this.#level, level);
    if (verdict === "safe") return;
    // Every kind counts, also that of a reason which people do not see [Q74].
    this.#kinds.add(kind);
    if (basis === "rule") raise(this.#gravestByProgram, program, verdict);
    raise(this.#gravestByCall, call, verdict);
    const known = this.#reasons.get(why);
    if (known === undefined) {
      this.#reasons.set(why, { verdict, basis, program, calls: new Set([call]) });
      return;
    }
    known.verdict = stricter(known.verdict, verdict);
    if (BASIS_ORDER[basis] < BASIS_ORDER[known.basis]) known.basis = basis;
    known.calls.add(call);
  }

  judgement(): Judgement {
    const why = [...this.#reasons]
      .filter(([, reason]) => !this.#isCovered(reason))
      .sort(
        ([, a], [, b]) =>
          ORDER[b.verdict] - ORDER[a.verdict] || BASIS_ORDER[a.basis] - BASIS_ORDER[b.basis],
      )
      .slice(0, MAX_REASONS)
      .map(([reason]) => reason);
    const kinds = [...this.#kinds].sort();
    const judgement = { verdict: this.#verdict, level: this.#level, why, kinds };
    return this.#isAboutUs ? { ...judgement, isAboutUs: true } : judgement;
  }

  /** Whether another reason says more about the same command, at least as gravely [Q71]. */
  #isCovered({ verdict, basis, program, calls }: Reason): boolean {
    switch (basis) {
      case "rule":
        return false;
      case "hint": {
        const gravest = program === undefined ? undefined : this.#gravestByProgram.get(program);
        return gravest !== undefined && atLeast(gravest, verdict);
      }
      case "unlisted":
        return [...calls].every((call) => {
          const gravest = call === undefined ? undefined : this.#gravestByCall.get(call);
          return gravest !== undefined && !atLeast(verdict, gravest);
        });
      default:
        return basis satisfies never;
    }
  }
}

function raise(gravest: Map<string, Verdict>, key: string | undefined, verdict: Verdict): void {
  if (key !== undefined) gravest.set(key, stricter(gravest.get(key) ?? "safe", verdict));
}

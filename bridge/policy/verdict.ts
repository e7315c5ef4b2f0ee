// Owns verdicts, their order, and collecting findings into a judgement. Knows nothing about commands.

/** Ordered from the mildest to the strictest. */
export type Verdict = "safe" | "unknown" | "dangerous" | "blocked";

/** The result of `getCommandSafetyLevel` for agents' tools; it has no "blocked". */
export type Level = Exclude<Verdict, "blocked">;

export interface Judgement {
  readonly verdict: Verdict;
  /**
   * The level by `terminal.safeCommands` and `terminal.dangerousCommands`. It may be milder than the
   * verdict, which has more patterns. To ask a person by level, use `toAskingLevel`, never this field.
   */
  readonly level: Level;
  /** For people: the gravest first, without near-duplicates [Q101, Q102]. */
  readonly why: readonly string[];
  /**
   * The findings without the operands that vary from call to call, sorted. Two commands with the same
   * kinds were judged for the same reasons [A24].
   */
  readonly kinds?: readonly string[];
  /** The command concerns pairpty itself [A11]: refused without a question [J3]. */
  readonly isAboutUs?: true;
}

const ORDER: Readonly<Record<Verdict, number>> = { safe: 0, unknown: 1, dangerous: 2, blocked: 3 };

/** People read these in an approval; more than a handful is noise. */
const MAX_REASONS = 8;

/**
 * How a finding is known: a rule understood the command, a pattern or a name suggests it, or the safe
 * list lacks it.
 */
export type FindingBasis = "rule" | "hint" | "unlisted";

const BASIS_ORDER: Readonly<Record<FindingBasis, number>> = { rule: 0, hint: 1, unlisted: 2 };

export interface FindingOptions {
  readonly level?: Level;
  /** `why` without the operands that vary from call to call; defaults to `why`. */
  readonly kind?: string;
  /** Defaults to "rule". */
  readonly basis?: FindingBasis;
  /** The program that the finding is about, for dropping near-duplicates. */
  readonly program?: string | undefined;
  /** The sub-command that the finding is about, as one text. */
  readonly call?: string | undefined;
}

interface Reason {
  verdict: Verdict;
  basis: FindingBasis;
  readonly program: string | undefined;
  /** All sub-commands that have this reason. */
  readonly calls: Set<string | undefined>;
}

export function stricterVerdict<V extends Verdict>(a: V, b: V): V {
  return ORDER[a] >= ORDER[b] ? a : b;
}

export function isAtLeastVerdict(verdict: Verdict, floor: Verdict): boolean {
  return ORDER[verdict] >= ORDER[floor];
}

/** Returns the level by which tools ask a person: `blocked` counts as `dangerous`. */
export function toAskingLevel(judgement: Judgement): Level {
  const own: Level = judgement.verdict === "blocked" ? "dangerous" : judgement.verdict;
  return stricterVerdict(own, judgement.level);
}

/** Collects findings; the strictest one is the verdict. */
export class FindingLedger {
  #verdict: Verdict = "safe";
  #level: Level = "safe";
  readonly #reasons = new Map<string, Reason>();
  readonly #kinds = new Set<string>();
  /** The gravest finding of a rule about each program. */
  readonly #gravestByProgram = new Map<string, Verdict>();
  readonly #gravestByCall = new Map<string, Verdict>();
  #isAboutUs = false;

  markAboutPairpty(): void {
    this.#isAboutUs = true;
  }

  /** Adds a kind without a reason. */
  addKind(kind: string): void {
    this.#kinds.add(kind);
  }

  note(verdict: Verdict, why: string, options: FindingOptions = {}): void {
    const { level = verdict === "safe" ? "safe" : "unknown", kind = why, basis = "rule" } = options;
    const { program, call } = options;
    this.#verdict = stricterVerdict(this.#verdict, verdict);
    this.#level = stricterVerdict(this.#level, level);
    if (verdict === "safe") return;
    // Also counts kinds whose reason people do not see [Q105].
    this.#kinds.add(kind);
    if (basis === "rule") raise(this.#gravestByProgram, program, verdict);
    raise(this.#gravestByCall, call, verdict);
    const known = this.#reasons.get(why);
    if (known === undefined) {
      this.#reasons.set(why, { verdict, basis, program, calls: new Set([call]) });
      return;
    }
    known.verdict = stricterVerdict(known.verdict, verdict);
    if (BASIS_ORDER[basis] < BASIS_ORDER[known.basis]) known.basis = basis;
    known.calls.add(call);
  }

  toJudgement(): Judgement {
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

  /** Whether a better reason covers this one: about the same command, and at least as grave [Q102]. */
  #isCovered({ verdict, basis, program, calls }: Reason): boolean {
    switch (basis) {
      case "rule":
        return false;
      case "hint": {
        const gravest = program === undefined ? undefined : this.#gravestByProgram.get(program);
        return gravest !== undefined && isAtLeastVerdict(gravest, verdict);
      }
      case "unlisted":
        return [...calls].every((call) => {
          const gravest = call === undefined ? undefined : this.#gravestByCall.get(call);
          return gravest !== undefined && !isAtLeastVerdict(verdict, gravest);
        });
      default:
        return basis satisfies never;
    }
  }
}

function raise(gravest: Map<string, Verdict>, key: string | undefined, verdict: Verdict): void {
  if (key !== undefined) gravest.set(key, stricterVerdict(gravest.get(key) ?? "safe", verdict));
}

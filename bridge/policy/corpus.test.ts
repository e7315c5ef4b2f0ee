// Proves the policy on the corpus and on our own tables, which are data in test/fixtures.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { judgeArgv, judgeShell } from "./policy.ts";
import { isAtLeastVerdict, type Judgement, type Level, type Verdict } from "./verdict.ts";

interface CorpusCase {
  readonly id: string;
  readonly argv?: readonly string[];
  readonly shell?: string;
  readonly expect: Verdict;
  readonly level: Level;
  readonly match: "exact" | "at-least" | "at-most";
  readonly why: string;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
}

const corpus = readJson("../../test/fixtures/commands.json") as CorpusCase[];

function judge({ argv, shell }: CorpusCase): Judgement {
  return argv === undefined ? judgeShell(shell ?? "") : judgeArgv(argv);
}

const describeJudgement = ({ verdict, why }: Judgement): string =>
  `the policy says ${verdict}: ${why.join("; ")}`;

/**
 * Returns the lines that are not judged as expected, each with the policy's reasons: one test covers
 * many lines.
 */
function otherwise(
  commands: readonly string[],
  isRight: (judgement: Judgement) => boolean,
  cwd?: string,
): string[] {
  return commands.flatMap((command) => {
    const judgement = judgeShell(command, cwd === undefined ? {} : { cwd });
    return isRight(judgement)
      ? []
      : [`${JSON.stringify(command)}: ${describeJudgement(judgement)}`];
  });
}

describe("A1 the corpus", () => {
  it("A29 is whole", () => {
    expect(corpus.length).toBeGreaterThanOrEqual(208);
  });

  it("A1 A29 A32 A34 A36 each verdict", () => {
    const fits = ({ match, expect: wanted }: CorpusCase, verdict: Verdict): boolean => {
      if (match === "exact") return verdict === wanted;
      return match === "at-most"
        ? isAtLeastVerdict(wanted, verdict)
        : isAtLeastVerdict(verdict, wanted);
    };
    const wrong = corpus.flatMap((entry) => {
      const judgement = judge(entry);
      if (fits(entry, judgement.verdict)) return [];
      return [
        `${entry.id}: ${entry.match} ${entry.expect}, since ${entry.why}; ${describeJudgement(judgement)}`,
      ];
    });
    expect(wrong).toEqual([]);
  });

  it("A15 A29 each level", () => {
    const wrong = corpus.flatMap((entry) => {
      const { level } = judge(entry);
      return level === entry.level ? [] : [`${entry.id}: ${level}, not ${entry.level}`];
    });
    expect(wrong).toEqual([]);
  });
});

interface Hostile {
  readonly rule: string;
  readonly why: string;
  readonly commands: readonly string[];
}

describe("hostile commands", () => {
  const rows = readJson("../../test/fixtures/hostile-commands.json") as Hostile[];
  it.each(rows)("$rule blocks: $why", ({ commands }) => {
    expect(otherwise(commands, ({ verdict }) => verdict === "blocked")).toEqual([]);
  });
});

interface NotSafe {
  readonly why: string;
  readonly commands: readonly string[];
  /** The minimum verdict. */
  readonly verdict: Verdict;
}

describe("what is not safe", () => {
  const rows = readJson("../../test/fixtures/not-safe-commands.json") as NotSafe[];
  it.each(rows)(
    "A10 A17 A18 A4 A9 A35 A39 A42 A57 A58 A74 at least $verdict: $why",
    ({ verdict, commands }) => {
      const isRight = (judgement: Judgement) => isAtLeastVerdict(judgement.verdict, verdict);
      expect(otherwise(commands, isRight, "/home/u/work/app")).toEqual([]);
    },
  );
});

interface Everyday {
  readonly verdict: Verdict;
  /** The level of safe lines; defaults to `safe`. */
  readonly level?: Level;
  readonly commands: readonly string[];
}

describe("everyday commands", () => {
  const rows = readJson("../../test/fixtures/everyday-commands.json") as Everyday[];
  // A blocked word as data stays data (`echo rm`), but the raw patterns count wherever they match (`git
  // commit -m 'use dd here'`), and what is not on the list is unknown.
  it.each(rows)(
    "A12 A15 A48 A53 A54 A65 calls them $verdict",
    ({ verdict, level = "safe", commands }) => {
      const isRight = (judgement: Judgement) =>
        judgement.verdict === verdict && (verdict !== "safe" || judgement.level === level);
      expect(otherwise(commands, isRight)).toEqual([]);
    },
  );
});

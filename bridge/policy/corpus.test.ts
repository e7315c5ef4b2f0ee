// Proves the policy on the corpus and on tables of our own. They are data, in test/fixtures.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { judgeArgv, judgeShell } from "./policy.ts";
import { atLeast, type Judgement, type Level, type Verdict } from "./verdict.ts";

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

describe("A1 the corpus", () => {
  it("A1 is whole", () => {
    expect(corpus.length).toBeGreaterThanOrEqual(208);
  });

  it.each(corpus.map((entry) => [entry.id, entry] as const))("A1 %s", (_id, entry) => {
    const { verdict, why } = judge(entry);
    const said = `${entry.why}; the policy says ${verdict}: ${why.join("; ")}`;
    if (entry.match === "exact") expect(verdict, said).toBe(entry.expect);
    else if (entry.match === "at-most") expect(atLeast(entry.expect, verdict), said).toBe(true);
    else expect(atLeast(verdict, entry.expect), said).toBe(true);
  });

  it.each(corpus.map((entry) => [entry.id, entry] as const))("A15 %s: the level", (_id, entry) => {
    expect(judge(entry).level, entry.why).toBe(entry.level);
  });
});

interface Hostile {
  readonly rule: string;
  readonly why: string;
  readonly commands: readonly string[];
}

describe("hostile commands", () => {
  const cases = (readJson("../../test/fixtures/hostile-commands.json") as Hostile[]).flatMap(
    ({ rule, why, commands }) => commands.map((command) => [rule, command, why] as const),
  );
  it.each(cases)("%s blocks %j", (_rule, command, why) => {
    const { verdict, why: reasons } = judgeShell(command);
    expect(verdict, `${why}; ${reasons.join("; ")}`).toBe("blocked");
  });
});

interface NotSafe {
  readonly why: string;
  readonly commands: readonly string[];
  /** At least. */
  readonly verdict: Verdict;
}

describe("what is not safe", () => {
  const cases = (readJson("../../test/fixtures/not-safe-commands.json") as NotSafe[]).flatMap(
    ({ why, verdict, commands }) => commands.map((command) => [verdict, command, why] as const),
  );
  it.each(cases)("A10 A17 A18 at least %s: %j", (verdict, command, why) => {
    const judgement = judgeShell(command, { cwd: "/home/u/work/app" });
    const said = `${why}; the policy says ${judgement.verdict}: ${judgement.why.join("; ")}`;
    expect(atLeast(judgement.verdict, verdict), said).toBe(true);
  });
});

interface Everyday {
  readonly verdict: Verdict;
  readonly commands: readonly string[];
}

describe("everyday commands", () => {
  const cases = (readJson("../../test/fixtures/everyday-commands.json") as Everyday[]).flatMap(
    ({ verdict, commands }) => commands.map((command) => [verdict, command] as const),
  );
  // By the seeds: a blocked word as data stays data (`echo rm`), but their raw expressions count
  // wherever they hit (`git commit -m 'use dd here'`), and what is not on the list is unknown.
  it.each(cases)("A12 calls %s: %j", (verdict, command) => {
    const judgement = judgeShell(command);
    expect(judgement.verdict, judgement.why.join("; ")).toBe(verdict);
    if (verdict === "safe") expect(judgement.level).toBe("safe");
  });
});

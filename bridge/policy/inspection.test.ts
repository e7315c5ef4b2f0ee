import { expect, test } from "vitest";
import { type Engine, Inspection, MAX_STEPS } from "./inspection.ts";
import { DEFAULT_LISTS } from "./command-lists.ts";
import { OwnFolders } from "./own-folders.ts";
import { judgeArgv, judgeShell } from "./policy.ts";
import type { Run } from "./rule.ts";
import { Scope } from "./parameter-expansion.ts";

/** Counts the commands judged if every command runs a thousand others. */
function isAsked(asksMore: (run: Run, number: number) => void): number {
  let asks = 0;
  const branch = (run: Run): void => {
    for (let number = 0; number < 1_000; number++) {
      if (++asks > 2 * MAX_STEPS) throw new Error("The work is not bounded");
      asksMore(run, asks);
    }
  };
  const engine: Engine = {
    command: (_argv, run) => branch(run),
    text: (_text, run) => branch(run),
    hasRule: () => false,
  };
  const own = new OwnFolders({ folders: [], cwd: undefined, home: undefined });
  const run = Inspection.begin({ engine, own, cwd: undefined, lists: DEFAULT_LISTS }, new Scope());
  expect(run.follow("kept in mind: rm", () => run.judgeArgv(["first"]))).toBe(false);
  const why = ["names rm, nested too deeply to check", "too long or too deeply nested to check"];
  expect(run.ledger.toJudgement()).toMatchObject({ verdict: "blocked", why });
  return asks;
}

test("A14 whatever asks about more than the steps allow asks no further, at any depth", () => {
  expect(isAsked((run, number) => run.judgeArgv([String(number)]))).toBeLessThan(MAX_STEPS);
  expect(isAsked((run, number) => run.judgeShellText(String(number)))).toBeLessThan(MAX_STEPS);
});

test.each(["find . -exec ", "find . -exec find ", "exec a ", "strace ", "sudo ", "xargs ", "env "])(
  "A14 64 KiB of %j are asked about, as a line and as a list of words",
  (part) => {
    const line = part.repeat(64_000 / part.length);
    expect(judgeShell(line).verdict).toMatch(/dangerous|blocked/);
    expect(judgeArgv(line.split(" ")).verdict).toMatch(/dangerous|blocked/);
  },
);

test("A2 A50 the raw patterns still count after the steps ran out", () => {
  const spent = "a=$a$a;".repeat(8_000);
  expect(judgeShell(`${spent} x > /dev/sda`).verdict).toBe("blocked");
  expect(judgeShell("ls > /dev/sda", { env: { PAGER: spent } }).verdict).toBe("blocked");
  expect(judgeShell("ls", { env: { PAGER: spent, PAIRPTY_X: "1" } })).toMatchObject({
    verdict: "blocked",
    isAboutUs: true,
  });
});

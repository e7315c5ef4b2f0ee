// Flags as npm's scripts give them to the programs.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { minutes, positiveNumber, wholeNumber } from "./flags.ts";
import { PATIENCE_MS } from "../test/support/waiting.ts";

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

function run(script: string, ...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [inRoot(script), ...args], {
    encoding: "utf8",
    // Nothing else ends it: while it runs, the test's own clock stands still.
    timeout: PATIENCE_MS,
    // Wide enough for the longest line, whatever runs the test.
    env: { ...process.env, COLUMNS: "200" },
  });
  return { code: status, out: stdout, err: stderr };
}

test.each([
  ["scripts/soak.mjs", "soak", ["--reconnects", "--terminals", "--minutes"]],
  ["scripts/rounds.mjs", "rounds", ["--rounds", "--at-once", "--only", "--quick"]],
  ["dist/bench/main.js", "bench", ["--full", "--only", "--rounds", "--json", "--chart"]],
])("B4 %s says its flags, and what is wrong with others", (script, name, flags) => {
  const help = run(script, "--help");
  expect([help.code, help.err]).toEqual([0, ""]);
  expect(help.out).toContain(`npm run ${name} --`);
  for (const flag of flags) expect(help.out).toContain(`  ${flag}`);
  // Mistakes are told by one piece of code for all, and one of the programs loads quickly.
  if (name !== "soak") return;
  const typo = run(script, `${flags[0]}x`);
  expect([typo.code, typo.out]).toEqual([2, ""]);
  expect(typo.err).toMatch(`unknown option '${flags[0]}x'`);
  expect(typo.err).toMatch(`Did you mean ${flags[0]}?`);
  expect(typo.err).not.toMatch(/^\s+at /m);
});

test("B4 values that are none are told with what would be right", () => {
  expect(() => minutes("soon")).toThrow("A number of minutes is wanted, 0 or more.");
  expect(() => wholeNumber("-1")).toThrow("A whole number is wanted, 0 or more.");
  expect(() => positiveNumber("0")).toThrow("A whole number is wanted, 1 or more.");
  expect([minutes("0.5"), wholeNumber("0"), positiveNumber("12")]).toEqual([0.5, 0, 12]);
  const wrong: [string, string[], RegExp][] = [
    ["dist/bench/main.js", ["--only", "ecko"], /No such section: ecko\. There are echo, /],
    ["bench/package.mjs", ["--rounds", "1"], /takes no flags/],
  ];
  for (const [script, args, said] of wrong) {
    const { code, out, err } = run(script, ...args);
    expect([code, out], args.join(" ")).toEqual([2, ""]);
    expect(err).toMatch(said);
    expect(err).not.toMatch(/^\s+at /m);
  }
});

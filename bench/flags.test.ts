// Flags as npm's scripts give them to the programs.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { parseFlags, minutes, positiveNumber, pickSome, wholeNumber } from "./flags.ts";
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
])("B4 %s says its flags", (script, name, flags) => {
  const help = run(script, "--help");
  expect([help.code, help.err]).toEqual([0, ""]);
  expect(help.out).toContain(`npm run ${name} --`);
  for (const flag of flags) expect(help.out).toContain(`  ${flag}`);
});

test("B4 values that are none are told with what would be right", () => {
  expect(() => minutes("soon")).toThrow("A number of minutes is wanted, 0 or more.");
  expect(() => wholeNumber("-1")).toThrow("A whole number is wanted, 0 or more.");
  expect(() => positiveNumber("0")).toThrow("A whole number is wanted, 1 or more.");
  expect([minutes("0.5"), wholeNumber("0"), positiveNumber("12")]).toEqual([0.5, 0, 12]);
  const sections = pickSome("section", ["echo", "cost"]);
  expect(sections("cost,echo")).toEqual(["cost", "echo"]);
  expect(() => sections("ecko,cost")).toThrow("No such section: ecko. There are echo, cost.");
});

// The programs have this in common, and the quickest of them takes half a second to load.
test.each([
  [["--reconnectsx"], "unknown option '--reconnectsx'\n(Did you mean --reconnects?)"],
  [["--reconnects", "-1"], "A whole number is wanted, 0 or more."],
  [["more"], "too many arguments"],
])("B4 %j is told as wrong, with exit code 2", (args, sentence) => {
  const exit = vi.spyOn(process, "exit").mockImplementation((code) => {
    throw new Error(`exits with ${code}`);
  });
  onTestFinished(() => exit.mockRestore());
  let printed = "";
  const flags = parseFlags("soak", "Soaks.")
    .configureOutput({ writeErr: (text) => (printed += text) })
    .option("--reconnects <number>", "how often", wholeNumber);
  expect(() => flags.parse(args, { from: "user" })).toThrow("exits with 2");
  expect(printed).toContain(sentence);
  expect(printed).toContain("`npm run soak -- --help` lists what there is.");
});

test("B4 a program that takes no flags says so, with exit code 2", () => {
  const { code, out, err } = run("bench/package.mjs", "--rounds", "1");
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(/takes no flags/);
  expect(err).not.toMatch(/^\s+at /m);
});

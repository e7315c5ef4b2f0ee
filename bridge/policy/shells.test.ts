// Proves with real shells that they all read safe lines alike. SHELL_LINES is the number of lines to
// try (more than 100,000 for a long run), SHELL_SEED repeats a run.

import { expect, it } from "vitest";
import {
  CANARY,
  findActing,
  findInPath,
  randomLine,
  seededRandom,
  type ShellProgram,
} from "../../test/support/shell-lines.ts";
import { has } from "../../test/support/tools.ts";
import { judgeShell } from "./policy.ts";

const LINES = Number(process.env["SHELL_LINES"] ?? 4_000);
/** Fewer, since each line starts a shell. */
const TYPED_LINES = Math.floor(LINES / 10);
const FIXED_SEED = 15;
const SEEDS = [
  FIXED_SEED,
  Number(process.env["SHELL_SEED"] ?? Math.floor(Math.random() * 2 ** 32)),
];
const BATCH = 500;
const TIMEOUT_MS = 60_000 + LINES * 20;

const installed = (name: string, ...args: string[]): ShellProgram[] => {
  const path = findInPath(name);
  return path === undefined ? [] : [{ name, argv: [path, ...args] }];
};
const zsh = has("zsh") ? installed("zsh", "-f") : [];
const SHELLS: readonly ShellProgram[] = [
  { name: "sh", argv: ["/bin/sh"] },
  ...installed("dash"),
  ...installed("bash", "--norc"),
  ...installed("busybox", "sh"),
  ...zsh,
];
const INTERACTIVE: readonly ShellProgram[] = [
  ...zsh.map(({ argv }) => ({
    name: "interactive zsh",
    argv: [argv[0], "-f", "-i", "-s"] as const,
    isInteractive: true as const,
  })),
  ...(has("fish") ? installed("fish") : []).map((fish) => ({
    ...fish,
    isInteractive: true as const,
  })),
].map((shell) => ({ ...shell, argv: [...shell.argv] as [string, ...string[]] }));

function safeLines(count: number, seed: number, isTyped: boolean): string[] {
  const random = seededRandom(seed);
  const safe = new Set<string>();
  for (let tried = 0; tried < count; tried++) {
    const line = randomLine(random);
    if (judgeShell(line, { isTyped }).verdict === "safe") safe.add(line);
  }
  return [...safe];
}

function acting(lines: readonly string[], shells: readonly ShellProgram[]): string[] {
  const found: string[] = [];
  for (let from = 0; from < lines.length; from += BATCH) {
    const batch = lines.slice(from, from + BATCH);
    for (const shell of shells)
      for (const line of findActing(batch, shell))
        found.push(`${shell.name}: ${JSON.stringify(line)}`);
  }
  return found;
}

/** Prints numbers after a long run; a usual run only has its random seed in the test's name. */
function report(safe: readonly string[], tried: number, seed: number): void {
  if (process.env["SHELL_LINES"] !== undefined)
    console.info(`seed ${seed}: ${safe.length} of ${tried} lines are safe`);
}

it("A20 a canary is noticed: as a command, in the background, and a file that is written", () => {
  const lines = [CANARY, `echo a & ${CANARY} &`, "echo a >w", `echo ${CANARY}`, "echo 'a", "ls"];
  for (const shell of SHELLS) expect(findActing(lines, shell)).toEqual(lines.slice(0, 3));
});

it.each(SEEDS)(
  "A20 no shell runs the canary or writes a file for a line that is safe, seed %d",
  (seed) => {
    const lines = safeLines(LINES / SEEDS.length, seed, false);
    report(lines, LINES / SEEDS.length, seed);
    expect(lines.length).toBeGreaterThan(LINES / 200);
    expect(acting(lines, SHELLS)).toEqual([]);
  },
  TIMEOUT_MS,
);

it.skipIf(INTERACTIVE.length === 0)(
  `A20 A21 nor does an interactive zsh or fish, for a line that is safe to type, seed ${SEEDS[1]}`,
  () => {
    const [, seed = 0] = SEEDS;
    const lines = safeLines(TYPED_LINES, seed, true);
    report(lines, TYPED_LINES, seed);
    expect(acting(lines, INTERACTIVE)).toEqual([]);
  },
  TIMEOUT_MS,
);

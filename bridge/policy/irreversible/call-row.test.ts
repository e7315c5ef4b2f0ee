// Proves how a call is matched against rows of the hard-to-undo table.

import { expect, it } from "vitest";
import { createCommandLists } from "../command-lists.ts";
import { judgeShell } from "../policy.ts";
import { findRow, type ToolRows } from "./call-row.ts";

const finds = (tool: ToolRows, line: string): boolean =>
  findRow(tool, line.split(" ")) !== undefined;

it("A23 an option that is known to take a value hides the next word, any other may", () => {
  const tool: ToolRows = { valueOptions: "-n", flags: "-q", rows: ["delete"] };
  expect(finds(tool, "delete x")).toBe(true);
  expect(finds(tool, "-n prod delete x")).toBe(true);
  expect(finds(tool, "-n delete get x")).toBe(false);
  expect(finds(tool, "--other prod delete x")).toBe(true);
  expect(finds(tool, "--flag delete x")).toBe(true);
  expect(finds(tool, "-q delete x")).toBe(true);
  expect(finds(tool, "-q get delete")).toBe(false);
  expect(finds(tool, "get delete")).toBe(false);
});

it("A23 options are found alone, in clusters, with values and by their beginning", () => {
  const down: ToolRows = { rows: ["down -v|--volumes"] };
  expect(finds(down, "down -tv")).toBe(true);
  expect(finds(down, "down --volumes=true")).toBe(true);
  expect(finds(down, "down --volumes=false")).toBe(false);
  expect(finds(down, "down --verbose")).toBe(false);
  const method: ToolRows = { rows: ["** -X=DELETE|--method=DELETE"] };
  for (const line of ["-XDELETE u", "u -X delete", "--method=DELETE u", "u --method DELETE"])
    expect(finds(method, line), line).toBe(true);
  expect(finds(method, "-X GET u")).toBe(false);
  expect(finds({ rows: ["** --delete* !-n"] }, "-a --delete-after a b")).toBe(true);
  expect(finds({ rows: ["** --delete* !-n"] }, "-an --delete-after a b")).toBe(false);
});

it("A71 help and dry runs destroy nothing; a dry run that is switched off does", () => {
  const tool: ToolRows = { rows: ["delete"] };
  expect(finds(tool, "delete x --help")).toBe(false);
  expect(finds(tool, "delete x --dry-run=client")).toBe(false);
  expect(finds(tool, "delete x --dry-run=none")).toBe(true);
});

it("A23 `**` may be no word at all, and many words cost little", () => {
  expect(findRow({ rows: ["**"] }, [])).toBe("**");
  const words = Array.from({ length: 1000 }, (_, index) => (index % 2 === 0 ? "-x" : "y"));
  expect(findRow({ rows: ["** delete ** force"] }, words)).toBeUndefined();
});

it("A78 a program's own words count, whether a table lists it or not", () => {
  const verdict = (line: string) => judgeShell(line).verdict;
  for (const line of ["frobctl purge", "frobctl --force wipe", "frobctl disk wipe"])
    expect(verdict(line), line).toBe("dangerous");
  for (const line of ["frobctl --mode delete", "frobctl get", "frobctl purge --help"])
    expect(verdict(line), line).toBe("unknown");
});

it("A66 a user who shortened the safe list has no quiet programs", () => {
  const verdict = (names?: readonly string[]) =>
    judgeShell("true || ls", { lists: createCommandLists(names) }).verdict;
  expect(verdict()).toBe("safe");
  expect(verdict(["ls"])).toBe("unknown");
});

// Which programs treat their input as data.

import { expect, it, test } from "vitest";
import { judgeDraft, judgeTypedLine, isDataReader, readsOnlyData } from "./draft-judgement.ts";

test("Y119 only known programs, in every place of a line, take their input for data", () => {
  const lines = ["cat", "cat | sort -u", "awk '{print $1}'", "awk -F: '{print}' | head -3"];
  expect(lines.filter((line) => !readsOnlyData(line))).toEqual([]);
  const others = [
    "git log",
    "cat; git commit",
    "sleep 1 && git log",
    "awk -f -",
    "awk --file=/dev/stdin",
    "sed s/a/b/",
    "xargs echo",
    "$PAGER",
    "cat $(git log)",
    "sh -c cat",
    "",
  ];
  expect(others.filter((line) => readsOnlyData(line))).toEqual([]);
  expect(isDataReader(["/usr/bin/cat", "-"])).toBe(true);
  expect(isDataReader(["/usr/bin/vim"])).toBe(false);
});

it("A21 a typed line meets a history, a line for sh does not", () => {
  const line = 'grep -n "!important" a.css';
  const draft = { command: undefined, line, cwd: "/home/u/work", added: {} };
  expect(judgeDraft(draft, {}).verdict).toBe("safe");
  expect(judgeTypedLine(line, "/home/u/work", {}).verdict).toBe("unknown");
});

it("A28 what a safe command reads is asked about, unless it is known to take it for data", () => {
  const judge = (line: string, text: string) => {
    const input = { text, staysOpen: false };
    return judgeDraft({ command: undefined, line, input, cwd: "/home/u/work", added: {} }, {});
  };
  for (const line of ["cat", "sort -u | head -3", "grep x", "awk '{print $1}'", "wc -l"]) {
    expect(judge(line, ":!touch x\n").verdict, line).toBe("safe");
  }
  for (const line of ["git commit --allow-empty", "git tag -a x", "npm test", "cat; git commit"]) {
    expect(judge(line, "").verdict, line).toBe("safe");
    const { verdict, level, why } = judge(line, ":!touch x\n");
    expect([verdict, level], line).toEqual(["unknown", "unknown"]);
    expect(why).toEqual([
      "the command, or an editor that it opens, may run what it reads",
      "its input: :!touch x\n",
    ]);
  }
});

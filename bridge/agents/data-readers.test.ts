// Which programs treat their input as data.

import { expect, test } from "vitest";
import { isDataReader, readsOnlyData } from "./data-readers.ts";

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

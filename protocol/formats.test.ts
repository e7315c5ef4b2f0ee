import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import {
  formatDuration,
  formatTime,
  formatBytes,
  formatClock,
  formatCommandLine,
} from "./formats.ts";

test("C36 W25 words are written in the quotes that are read most easily, and a shell reads them so", () => {
  const words = ["a", "", "a b", "it's", `it's "so"`, "it's $HOME", "two\nlines", "`id`", "!x"];
  const line = formatCommandLine({ command: words });
  expect(line).toBe(
    `a '' 'a b' "it's" ${String.raw`'it'\''s "so"' 'it'\''s $HOME'`} 'two\nlines' '\`id\`' '!x'`,
  );
  const read = execFileSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" });
  expect(read.split("\0").slice(0, -1)).toEqual(words);
  expect(formatCommandLine({ command: "ls | wc" })).toBe("ls | wc");
});

test("RE28 lengths and sizes are said in one way", () => {
  expect([0, 3.9, 65, 3_605].map(formatClock)).toEqual(["0:00", "0:03", "1:05", "1:00:05"]);
  expect([12, 1_434, 20_480, 5 << 20].map(formatBytes)).toEqual([
    "12 bytes",
    "1.4 KB",
    "20 KB",
    "5.0 MB",
  ]);
});

const at = (...parts: [number, number, number, number, number, number?]): number =>
  new Date(...parts).getTime();

test("C44 a time of today is a clock's, one of this year has its day, and another its year", () => {
  const now = at(2026, 10, 18, 14, 30);
  expect(formatTime(at(2026, 10, 18, 9, 3), now)).toBe("09:03");
  expect(formatTime(at(2026, 10, 17, 14, 3), now)).toBe("17 Nov 14:03");
  expect(formatTime(at(2026, 9, 18, 14, 3), now)).toBe("18 Oct 14:03");
  expect(formatTime(at(2025, 10, 18, 14, 3), now)).toBe("18 Nov 2025 14:03");
  expect(formatTime(at(2026, 10, 18, 9, 3, 5), now, { seconds: true })).toBe("09:03:05");
  expect(formatTime(Number.NaN, now)).toBe("");
});

test("C116 a duration is one whole unit", () => {
  const shown = [-1, 0, 999, 5_000, 59_999, 60_000, 3_599_999, 7_200_000, 86_400_000 * 3];
  expect(shown.map(formatDuration)).toEqual([
    "0 s",
    "0 s",
    "0 s",
    "5 s",
    "59 s",
    "1 min",
    "59 min",
    "2 h",
    "3 d",
  ]);
});

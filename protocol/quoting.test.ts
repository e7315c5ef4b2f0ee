import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { formatCommandLine } from "./quoting.ts";

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

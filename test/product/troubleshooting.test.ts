// The page that people are sent to has every code there is, and only verbs and flags that exist.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ExitCode } from "../../bridge/errors.ts";
import { CloseCode, ErrorCode, FINAL_CLOSE_CODES } from "../../protocol/codes.ts";
import { Place } from "../support/product.ts";

const PAGE = readFileSync("docs/troubleshooting.md", "utf8");

/** The rows of the table below a heading, as cells. */
function rows(heading: string): string[][] {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith(heading)) ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

test("O13 every exit, close and error code has its row, with what it means and what to do", () => {
  const exits = rows("Exit codes").map(([code]) => code);
  for (const code of Object.values(ExitCode)) expect(exits).toContain(`\`${code}\``);
  const closes = rows("Close codes").map(([code, name]) => `${code} ${name}`);
  expect(closes).toEqual(
    Object.entries(CloseCode).map(
      ([name, code]) => `\`${code}\`${FINAL_CLOSE_CODES.has(code) ? " **final**" : ""} \`${name}\``,
    ),
  );
  const errors = rows("Error codes").map(([code, status]) => `${code} ${status}`);
  const known = Object.entries(ErrorCode).map(([code, status]) => `\`${code}\` ${status}`);
  expect(errors.toSorted()).toEqual(known.toSorted());
  for (const row of [...rows("Exit codes"), ...rows("Close codes"), ...rows("Error codes")]) {
    for (const cell of row) expect(cell, row.join(" ")).not.toBe("");
  }
});

test("O13 every verb and flag on the page exists", async () => {
  await using place = new Place();
  const calls = Array.from(
    PAGE.matchAll(/`pairpty ((?:[a-z]+ ?)+)([^`]*)`/g),
    ([, words = "", rest = ""]) => ({
      verb: words.trim().split(" "),
      flags: rest.match(/--[a-z-]+/g) ?? [],
    }),
  );
  const help = new Map<string, string>();
  for (const { verb, flags } of calls) {
    const [first = ""] = verb;
    if (first === "help") continue;
    const name = ["config", "policy"].includes(first) ? verb.slice(0, 2) : [first];
    const key = name.join(" ");
    if (!help.has(key)) {
      const { code, stdout } = await place.ask([...name, "--help"]);
      expect(code, key).toBe(0);
      help.set(key, stdout);
    }
    for (const flag of flags) expect(help.get(key), key).toContain(flag);
  }
  expect(help.size).toBeGreaterThan(6);
});

// Quoted paths, read back by real shells.

import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quotePath } from "./quote.ts";

test("FI11 a quoted path is one word to a shell, whatever is in it", () => {
  const paths = fc.sample(
    fc.string({
      unit: fc.constantFrom("a", "/", "'", '"', "\\", "$", "`", " ", "!", "*", "~", "é", "\n"),
    }),
    { numRuns: 200, seed: 7 },
  );
  const words = ["/tmp/a b's $(x).png", ...paths.filter((path) => path !== "")];
  const script = `printf '%s\\0' ${words.map(quotePath).join(" ")}`;
  for (const shell of ["sh", "bash"]) {
    expect(
      execFileSync(shell, ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1),
    ).toEqual(words);
  }
  expect(quotePath("/tmp/pairpty-files-0a/shot-2.png")).toBe("/tmp/pairpty-files-0a/shot-2.png");
});

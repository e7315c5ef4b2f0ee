// Compares the packed tables of widths with the original ones.

import { readFileSync } from "node:fs";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import { packTables } from "./lean-unicode.ts";

const SOURCE = new URL("../node_modules/@xterm/addon-unicode11/src/UnicodeV11.ts", import.meta.url);

/** Returns the tables of a module's source. */
async function readTables(source: string): Promise<unknown> {
  const { code } = await transform(source.replace(/^let table[^]*$/m, ""), { loader: "ts" });
  const names = "BMP_COMBINING, HIGH_COMBINING, BMP_WIDE, HIGH_WIDE";
  const url = `data:text/javascript,${encodeURIComponent(`${code}\nexport default { ${names} };`)}`;
  return (await import(url)).default;
}

test("FR2 the packed tables of widths are the original ones, and less than half as long", async () => {
  const source = readFileSync(SOURCE, "utf8");
  const packed = packTables(source);
  expect(packed.length).toBeLessThan(source.length / 2);
  expect(await readTables(packed)).toEqual(await readTables(source));
});

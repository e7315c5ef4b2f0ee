// Compares the packed tables of widths with the original ones.

import { readFileSync } from "node:fs";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import { packTables, shortenNames } from "./xterm-plugins.ts";

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

const XTERM = "node_modules/@xterm/xterm/lib/xterm.mjs";
const WEBGL = "node_modules/@xterm/addon-webgl/lib/addon-webgl.mjs";

const names = (text: string): Set<string> => new Set(text.match(/\b_[a-zA-Z]\w*/g));

test("FR2 what others mention of xterm's inside keeps its name, and the rest is short", async () => {
  const before = readFileSync(XTERM, "utf8");
  const after = names(await shortenNames(before));
  const isKept = (name: string): boolean => after.has(name);
  const reached = ["_core", "_selectionService", "_applyMinimumContrast", "_inputHandler"];
  expect(reached.filter(isKept)).toEqual(reached);
  const byAddons = [...names(readFileSync(WEBGL, "utf8"))].filter((name) =>
    names(before).has(name),
  );
  expect(byAddons.length).toBeGreaterThan(20);
  expect(byAddons.filter((name) => !isKept(name))).toEqual([]);
  expect(after.size).toBeLessThan(names(before).size / 2);
});

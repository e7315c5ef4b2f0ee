import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { shortenNames } from "./short-names.ts";

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

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isInstalled } from "./installed.mjs";

const text = (packages: object): string => JSON.stringify({ packages });

const ONE = { version: "1.0.0", integrity: "sha512-a" };
const MAC = { version: "2.0.0", integrity: "sha512-b", optional: true };
const LOCK = text({ "": { name: "us" }, "node_modules/one": ONE, "node_modules/mac": MAC });

test("C43 what `npm ci` installed by hand is not installed again", () => {
  const root = join(import.meta.dirname, "..");
  const read = (...path: string[]): string => readFileSync(join(root, ...path), "utf8");
  expect(isInstalled(read("package-lock.json"), read("node_modules", ".package-lock.json"))).toBe(
    true,
  );
  expect(isInstalled(LOCK, text({ "node_modules/one": ONE }))).toBe(true);
});

test.each([
  ["nothing", ""],
  ["half a list", '{"packages": {'],
  ["a package less", text({})],
  ["another version", text({ "node_modules/one": { ...ONE, version: "1.0.1" } })],
  ["other bytes", text({ "node_modules/one": { ...ONE, integrity: "sha512-c" } })],
  ["a package too many", text({ "node_modules/one": ONE, "node_modules/old": ONE })],
])("C43 it is installed where there is %s", (_, installed) => {
  expect(isInstalled(LOCK, installed)).toBe(false);
});

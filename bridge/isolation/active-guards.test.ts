import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ActiveGuards } from "./active-guards.ts";

test("I80 while walls stand only what all of them guard may be guarded, over bridges too; then everything", () => {
  const folder = mkdtempSync(join(tmpdir(), "pairpty-standing-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "isolation", "standing.json");
  const standing = new ActiveGuards(file);
  expect(standing.allows("/w/.git/hooks")).toBe(true);
  standing.add(["/w/.envrc", "/w/.vscode"]);
  standing.add(["/w/.envrc", "/w/.git/hooks"]);
  const next = new ActiveGuards(file);
  for (const one of [standing, next]) {
    const paths = ["/w/.envrc", "/w/.vscode", "/w/.git/hooks"];
    expect(paths.map((path) => one.allows(path))).toEqual([true, false, false]);
  }
  next.clear();
  expect([next.allows("/w/.vscode"), existsSync(file)]).toEqual([true, false]);
});

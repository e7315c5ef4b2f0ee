// Reading the audit log backwards: every line once, of any length, also during rotation.

import * as fc from "fast-check";
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { PageRequest } from "./audit-pages.ts";
import { readPage } from "./audit-pages.ts";

function log() {
  const folder = mkdtempSync(join(tmpdir(), "pp-pages-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = ["audit.log.2", "audit.log.1", "audit.log"].map((name) => join(folder, name));
  const [older = "", old = "", now = ""] = paths;
  return { paths, older, old, now };
}

/** Reads all pages, newest first, and restores the order. */
function whole(paths: readonly string[], request: Omit<PageRequest, "before">): string[] {
  let before: string | undefined;
  const pages: string[] = [];
  for (let count = 0; count < 1_000; count += 1) {
    const page = readPage(paths, { ...request, before });
    expect(page.lines.length).toBeLessThanOrEqual(request.limit);
    pages.unshift(...page.lines);
    if (page.before === undefined) return pages;
    before = page.before;
  }
  throw new Error("it has no end");
}

test("GR8 pages hold every line once and in order, over files and chunks, whatever the limits", () => {
  const { paths, older, old, now } = log();
  const line = fc.integer({ min: 0, max: 30_000 }).map((length) => "é".repeat(length));
  const lines = fc.array(line, { maxLength: 8 });
  fc.assert(
    fc.property(lines, lines, lines, fc.integer({ min: 1, max: 5 }), (a, b, c, limit) => {
      const all = [a, b, c].map((some, file) => some.map((text, at) => `${file}.${at} ${text}`));
      for (const [at, path] of [older, old, now].entries())
        writeFileSync(path, (all[at] ?? []).map((one) => `${one}\n`).join(""));
      expect(whole(paths, { limit, maxChars: 40_000 })).toEqual(all.flat());
    }),
    { numRuns: 40 },
  );
});

test("GR8 a place holds while the log is written to and rotated; one that is gone has nothing older", () => {
  const { paths, old, now } = log();
  writeFileSync(now, "1\n2\n3\n4\n");
  const page = readPage(paths, { limit: 2, maxChars: 100 });
  expect(page.lines).toEqual(["3", "4"]);
  appendFileSync(now, "5\n");
  renameSync(now, old);
  writeFileSync(now, "6\n");
  expect(readPage(paths, { limit: 9, maxChars: 100, before: page.before }).lines).toEqual([
    "1",
    "2",
  ]);
  expect(readPage(paths, { limit: 9, maxChars: 100 }).lines).toEqual([
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
  ]);
  for (const before of ["1-1", "nonsense", ""])
    expect(readPage(paths, { limit: 9, maxChars: 100, before }).before).toBeUndefined();
});

test("GR8 what is no line, and a log that is not there, are no fault", () => {
  const { paths, now } = log();
  expect(readPage(paths, { limit: 9, maxChars: 100 })).toEqual({ lines: [], before: undefined });
  writeFileSync(now, `${"x".repeat(300_000)}\n1\n\n2`);
  const page = readPage(paths, { limit: 9, maxChars: 100 });
  expect(page.lines).toEqual(["1", "2"]);
});

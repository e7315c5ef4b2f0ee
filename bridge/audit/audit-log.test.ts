// The audit log's file: the cost of rotation and of faults. Reading the audit log backwards: every
// line once, of any length, also during rotation.

import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  appendFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { PageRequest } from "./audit-log.ts";
import { AuditLog, readPage } from "./audit-log.ts";

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "pp-audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "audit.log");
  const problems: string[] = [];
  const audit = new AuditLog(path, (problem) => problems.push(problem));
  return { folder, path, problems, audit };
}

test("S34 the log is appended to, rotated by size, and its user's alone", () => {
  const { folder, path, problems, audit } = setUp();
  audit.write({ event: "first", arguments: { text: `a\nb\u001b[31m${"x".repeat(5_000)}` } });
  const line = readFileSync(path, "utf8");
  expect(line.split("\n")).toHaveLength(2);
  expect(line.length).toBeLessThan(3_000);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  for (let round = 0; round < 7; round++) {
    truncateSync(path, 4 << 20);
    audit.write({ event: `after ${round}` });
  }
  const files = readdirSync(folder).toSorted();
  expect(files).toEqual(["audit.log", "audit.log.1", "audit.log.2", "audit.log.3", "audit.log.4"]);
  expect(readFileSync(path, "utf8")).toContain("after 6");
  expect(problems).toEqual([]);
});

test("S33 a few refused calls do not push the log's past out of it: a long line loses its arguments", () => {
  const { path, audit } = setUp();
  audit.write({ event: "grant granted" });
  const command = Array.from({ length: 30 }, () => `rm ${"A".repeat(1990)}`);
  const call = { grant: "0123456789", tool: "spawn_background_terminal", arguments: { command } };
  for (let round = 0; round < 4; round++) {
    audit.write({ event: "verdict", ...call, verdict: "blocked", why: command });
    audit.write({ event: "call", ...call, outcome: "Command blocked for security reasons" });
  }
  const text = readFileSync(path, "utf8");
  expect(text).toContain("grant granted");
  expect(text.length).toBeLessThan(100_000);
  expect(JSON.parse(text.trim().split("\n").at(-1) ?? "")).toMatchObject({
    tool: "spawn_background_terminal",
    arguments: expect.stringMatching(/^\(\d+ characters, left out\)$/),
    outcome: "Command blocked for security reasons",
  });
});

test("S33 a long text is left out whole, with its length; what stands beside it is told", () => {
  const { path, audit } = setUp();
  const secret = `PASSWORD="${"hunter2 ".repeat(10_000)}"`;
  const key = `-----BEGIN PRIVATE KEY-----\n${"hunter2\n".repeat(10_000)}-----END PRIVATE KEY-----`;
  const stdin = [secret, key, ["mysql", `-p${"hunter2".repeat(10_000)}`]];
  audit.write({ event: "call", arguments: { command: "cat", stdin }, outcome: secret });
  const line = readFileSync(path, "utf8");
  expect(line).not.toContain("hunter2");
  const left = (text: string) => `(${text.length} characters, left out)`;
  expect(JSON.parse(line)).toMatchObject({
    arguments: { command: "cat", stdin: [left(secret), left(key), ["mysql", "-p•••"]] },
    outcome: left(secret),
  });
});

test.each([
  ["very deep ones", JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)],
  ["one long text", "lorem ipsum ".repeat(180_000)],
  ["many texts", Array.from({ length: 4_000 }, () => "lorem ipsum ".repeat(40))],
  ["very many short ones", Array.from({ length: 400_000 }, () => "x")],
  ["very many flags", ["mysql", ...Array.from({ length: 300_000 }, () => "-px")]],
])("S33 a refused call of megabytes blocks the bridge for a moment only: %s", (_name, text) => {
  const { path, audit } = setUp();
  const from = performance.now();
  audit.write({ event: "call", tool: "bash", arguments: { text }, outcome: "refused" });
  // Without the limit the short ones took 3 s.
  expect(performance.now() - from).toBeLessThan(500);
  const line = readFileSync(path, "utf8");
  expect(line).toMatch(/\((\d{7} characters|too much), left out\)/);
  expect(JSON.parse(line)).toMatchObject({ tool: "bash", outcome: "refused" });
});

test("O5 an audit log on a full disk is said once, and what was lost is an entry once there is room", () => {
  const { path, problems, audit } = setUp();
  symlinkSync("/dev/full", path);
  for (let i = 0; i < 3; i++) audit.write({ event: `lost ${i}` });
  expect(problems).toEqual([expect.stringContaining("ENOSPC")]);
  unlinkSync(path);
  audit.write({ event: "kept" });
  const entries = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(entries).toMatchObject([
    { event: "entries lost", outcome: expect.stringMatching(/^3 entries: .*ENOSPC/) },
    { event: "kept" },
  ]);
});

test("O19 an audit log that is removed is made again, the workspace's state is not", () => {
  const { folder, path, problems, audit } = setUp();
  audit.write({ event: "one" });
  unlinkSync(path);
  audit.write({ event: "two" });
  expect(readFileSync(path, "utf8")).toContain("two");
  rmSync(folder, { recursive: true });
  audit.write({ event: "three" });
  expect(existsSync(folder)).toBe(false);
  expect(problems).toEqual([expect.stringContaining("ENOENT")]);
});

test("S33 a call whose arguments are too deep to be written is written without them", () => {
  const { path, audit } = setUp();
  const deep: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  audit.write({
    event: "call",
    tool: "bash",
    arguments: { command: "ls", deep },
    outcome: "refused",
  });
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
    event: "call",
    tool: "bash",
    arguments: "(too much, left out)",
    outcome: "refused",
  });
});

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

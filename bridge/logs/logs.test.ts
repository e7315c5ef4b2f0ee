// Log files: rotation, disturbances, secrets, and reading them back.

import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { openForegroundLog } from "./foreground-log.ts";
import { openJsonLog, listEnvironmentSecrets, createMask } from "./json-log.ts";
import { matchesFilter, mergeLines, parseLogLines } from "./log-line.ts";
import { listLogFiles, openRotatingFile } from "./rotating-file.ts";
import type { LogPosition } from "./log-tail.ts";
import { readNewLines } from "./log-tail.ts";

const root = mkdtempSync(join(tmpdir(), "pp-logs-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const folder = () => mkdtempSync(join(root, `${folders++}-`));
const read = (path: string) => readFileSync(path, "utf8");

test("O4 a log is rotated by size into a fixed number of files of 0600, and keeps the newest lines", () => {
  const path = join(folder(), "a.log");
  const write = openRotatingFile({ path, maxBytes: 100, filesKept: 3 });
  for (let i = 0; i < 50; i++) write(`line ${i} ${"x".repeat(20)}`);
  expect(readdirSync(join(path, "..")).sort()).toEqual(["a.log", "a.log.1", "a.log.2"]);
  for (const file of listLogFiles(path)) {
    expect(statSync(file).size).toBeLessThanOrEqual(100);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  const kept = listLogFiles(path).map(read).join("").trim().split("\n");
  expect(kept.at(-1)).toContain("line 49");
  expect(kept.map((line) => Number(line.split(" ")[1]))).toEqual(
    Array.from({ length: kept.length }, (_, index) => 50 - kept.length + index),
  );
});

test("O4 a line longer than the limit is written whole", () => {
  const path = join(folder(), "a.log");
  const write = openRotatingFile({ path, maxBytes: 100 });
  write("y".repeat(300));
  write("short");
  expect(read(path)).toBe("short\n");
  expect(read(`${path}.1`).length).toBe(301);
});

test("O18 two writers of one file lose no line to each other's rotation", () => {
  const path = join(folder(), "a.log");
  const options = { path, maxBytes: 1_000, filesKept: 50 };
  const writers = [openRotatingFile(options), openRotatingFile(options)];
  for (let i = 0; i < 300; i++) writers[i % 2]?.(`line ${i}`);
  const all = listLogFiles(path, 50).filter((file) => existsSync(file));
  expect(all.length).toBeGreaterThan(2);
  const numbers = all.map(read).join("").trim().split("\n");
  expect(numbers).toEqual(Array.from({ length: 300 }, (_, index) => `line ${index}`));
});

test("O19 a file, or the log folder, that is removed underneath is made again", () => {
  const state = folder();
  const path = join(state, "logs", "a.log");
  const write = openRotatingFile({ path });
  write("one");
  unlinkSync(path);
  write("two");
  expect(read(path)).toBe("two\n");
  rmSync(join(state, "logs"), { recursive: true });
  write("three");
  expect(read(path)).toBe("three\n");
  expect(statSync(join(state, "logs")).mode & 0o777).toBe(0o700);
  // A removed state folder was removed on purpose, so it stays removed.
  rmSync(state, { recursive: true });
  write("four");
  expect(existsSync(state)).toBe(false);
});

test("O5 a full disk is said once, ends nothing, and what was lost is counted when there is room", () => {
  const path = join(folder(), "a.log");
  symlinkSync("/dev/full", path);
  const problems: string[] = [];
  const lost = (count: number, problem: string) => `lost ${count}: ${problem}`;
  const write = openRotatingFile({ path, onProblem: (problem) => problems.push(problem), lost });
  for (let i = 0; i < 5; i++) write(`line ${i}`);
  expect(problems).toEqual([expect.stringContaining("ENOSPC")]);
  unlinkSync(path);
  write("again");
  expect(read(path)).toMatch(/^lost 5: .*ENOSPC.*\nagain\n$/);
  unlinkSync(path);
  symlinkSync("/dev/full", path);
  write("full again");
  expect(problems.length).toBe(2);
});

test("O5 the bridge's log says on stderr, once, that its file cannot be written", () => {
  const state = folder();
  const shown: string[] = [];
  const log = openForegroundLog("bridge", state, "warn", (line) => shown.push(line));
  log.info("kept, not shown");
  const path = join(state, "logs", "bridge.log");
  unlinkSync(path);
  symlinkSync("/dev/full", path);
  log.info("lost");
  log.info("lost too");
  expect(shown).toEqual([
    expect.stringContaining(`${path} cannot be written, continuing without it`),
  ]);
});

test("O6 C117 lines are JSON with time, level, source and pid; debug is kept only when asked for", () => {
  const path = join(folder(), "a.log");
  const write = openJsonLog({ path, source: "relay", minLevel: "info" });
  write("debug", { message: "no" });
  write("warn", { message: "yes", port: 5 });
  expect(JSON.parse(read(path))).toEqual({
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    level: "warn",
    source: "relay",
    pid: process.pid,
    message: "yes",
    port: 5,
  });
  const state = folder();
  openForegroundLog("bridge", state, "debug", () => {}).debug("asked for");
  openForegroundLog("bridge", state, "silent", () => {}).info("kept all the same");
  const kept = parseLogLines(read(join(state, "logs", "bridge.log")), "bridge");
  expect(kept.map(({ text }) => text)).toEqual(["asked for", "kept all the same"]);
});

test("O7 tokens, keys, headers, links and proxies' passwords never reach a log", () => {
  const token = `pp_${"a".repeat(10)}_${"B".repeat(32)}`;
  const secrets = listEnvironmentSecrets({
    PAIRPTY_RELAY_KEY: "correct horse battery",
    RELAY_KEY: "staple-9",
    https_proxy: "http://ann:p%40ssw0rd@proxy:3128",
    ALL_PROXY: "bob:bobspass@proxy:1",
    HTTP_PROXY: "http://proxy:3128",
  });
  const text = [
    `link http://127.0.0.1:1/w/x#${token}`,
    `Authorization: Bearer ${"c".repeat(40)}`,
    "key correct horse battery and staple-9",
    "proxy http://ann:p%40ssw0rd@proxy:3128 or p@ssw0rd or bobspass",
  ].join("\n");
  const masked = createMask(secrets)(text);
  for (const secret of [token, "c".repeat(40), "horse", "staple", "p%40", "p@ss", "bobspass"]) {
    expect(masked).not.toContain(secret);
  }
  expect(masked).toContain("proxy:3128");
  expect(listEnvironmentSecrets({ RELAY_KEY: "abc", https_proxy: "::bad::" })).toEqual([]);
});

test("O20 following reads every line once, across any rotations and removals between looks", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          { weight: 1, arbitrary: fc.constant("look" as const) },
          { weight: 4, arbitrary: fc.integer({ min: 1, max: 40 }) },
        ),
        { minLength: 20, maxLength: 80, size: "max" },
      ),
      (steps) => {
        const path = join(folder(), "a.log");
        // Small enough to rotate often, with enough files that none is dropped between two reads.
        const write = openRotatingFile({ path, maxBytes: 200, filesKept: 3 });
        let place: LogPosition | undefined;
        let [number, sinceLook] = [0, 0];
        let seen = "";
        const look = () => {
          const fresh = readNewLines(path, place);
          place = fresh.place;
          seen += fresh.text;
          sinceLook = 0;
        };
        for (const step of steps) {
          if (step === "look" || sinceLook + 50 > 200) look();
          if (step === "look") continue;
          const line = `${number++} ${"z".repeat(step)}`;
          write(line);
          sinceLook += line.length + 1;
        }
        look();
        const numbers = seen.split("\n").filter(Boolean);
        expect(numbers.map((line) => Number(line.split(" ")[0]))).toEqual(
          Array.from({ length: number }, (_, index) => index),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("O8 a line that is not whole yet waits, and an emptied file is read from its start", () => {
  const path = join(folder(), "a.log");
  writeFileSync(path, "one\ntw");
  const first = readNewLines(path);
  expect(first.text).toBe("one\n");
  writeFileSync(path, "one\ntwo\n");
  const second = readNewLines(path, first.place);
  expect(second.text).toBe("two\n");
  writeFileSync(path, "new\n");
  expect(readNewLines(path, second.place).text).toBe("new\n");
  chmodSync(path, 0o600);
});

test("O8 lines are merged by time; what is no line of ours keeps its place and counts as an error", () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
  const host = parseLogLines(
    `{"at":"${at(1)}","level":"info","event":"spawned","file":"/bin/sh"}\nnode: dead\n{"at":"${at(4)}","event":"ended"}\n`,
    "host",
  );
  const bridge = parseLogLines(`{"at":"${at(2)}","level":"warn","message":"hm"}\n`, "bridge");
  const merged = mergeLines([bridge, host]);
  expect(merged.map(({ text }) => text)).toEqual([
    "spawned file=/bin/sh",
    "node: dead",
    "hm",
    "ended",
  ]);
  const least = merged.filter((line) => matchesFilter(line, { minLevel: "warn", since: 0 }));
  expect(least.map(({ level }) => level)).toEqual(["error", "warn"]);
  const since = Date.parse(at(2));
  expect(merged.filter((line) => matchesFilter(line, { minLevel: "debug", since })).length).toBe(2);
});

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { failingDisk } from "../../test/support/failing-disk.ts";
import { mountSmallDisk } from "../../test/support/full-disk.ts";
import { ExitCode, UserError } from "../errors.ts";
import { awaitSaved, DurableFile, NotSavedError, throwUnsaved } from "./durable-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-durable-"));
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function openFile(path = join(folder, "grants.json")) {
  const logged: string[] = [];
  const log = {
    error: (line: string) => void logged.push(`error ${line}`),
    info: (line: string) => void logged.push(`info ${line}`),
  };
  const disk = failingDisk();
  const file = new DurableFile({ path, what: "links and tokens", log, disk, now: Date.now });
  file.read();
  return { file, disk, logged, path, text: () => readFileSync(path, "utf8") };
}

test("G30 G33 a change that takes something away is retried until it is on the disk, and says so meanwhile", async () => {
  const { file, disk, logged, path, text } = openFile();
  file.widen("a b", "nothing was made");
  disk.isFull = true;
  disk.hasReserve = false;
  file.narrow("a");
  expect(file.unsaved).toEqual({
    what: "links and tokens",
    path,
    why: "the disk is full",
    since: Date.now(),
  });
  expect(text()).toBe("a b");
  const waited = awaitSaved([file]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await waited).toMatchObject([{ why: "the disk is full" }]);
  file.narrow("");
  // The log has one line for the failure, however long it lasts.
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(logged).toEqual([expect.stringMatching(/^error .*the disk is full.*keeps retrying/)]);
  const later = awaitSaved([file], 60_000);
  disk.isFull = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await later).toEqual([]);
  expect(file.unsaved).toBeUndefined();
  expect(text()).toBe("");
  expect(logged.at(-1)).toMatch(/^info .*is saved again/);
});

test("G30 a retry every ten seconds at most", async () => {
  const { file, disk } = openFile();
  disk.isFull = true;
  disk.hasReserve = false;
  file.narrow("a");
  await vi.advanceTimersByTimeAsync(60_000);
  const before = disk.writes;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(disk.writes - before).toBe(60);
  file.dispose();
  expect(vi.getTimerCount()).toBe(0);
});

test("G35 what was never written is tried a last time at the end, and logged", () => {
  const { file, disk, logged } = openFile();
  disk.isFull = true;
  disk.hasReserve = false;
  file.narrow("a");
  file.dispose();
  expect(logged.at(-1)).toMatch(
    /was never written \(the disk is full\).*back after the next start/,
  );
});

test("G37 a change that gives more is refused whole; what waits to be written stays", async () => {
  const { file, disk, text } = openFile();
  file.widen("a b", "nothing was made");
  disk.isFull = true;
  disk.hasReserve = false;
  file.narrow("a");
  expect(() => file.widen("a c", "no link was made")).toThrow(NotSavedError);
  expect(() => file.widen("a c", "no link was made")).toThrow(
    /^no link was made: .*grants\.json cannot be written: the disk is full$/,
  );
  expect(file.unsaved).toBeDefined();
  disk.isFull = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(text()).toBe("a");
  // A widening write saves the pending change, too.
  disk.isFull = true;
  file.narrow("");
  disk.isFull = false;
  file.widen("c", "no link was made");
  expect(file.unsaved).toBeUndefined();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(text()).toBe("c");
});

test("G14 what gives more needs room for taking it away again", () => {
  const { file, disk, text } = openFile();
  file.widen("a", "nothing was made");
  disk.canReserve = false;
  expect(() => file.widen("x".repeat(1 << 20), "no link was made")).toThrow(NotSavedError);
  expect(text()).toBe("a");
});

test("G29 on a full disk the change goes into the room that was reserved, again and again", ({
  skip,
}) => {
  vi.useRealTimers();
  const disk = mountSmallDisk();
  if (disk === undefined) return skip();
  const path = join(disk.folder, "people.json");
  const log = { error: () => {}, info: () => {} };
  const file = new DurableFile({ path, what: "people's access", log });
  file.read();
  file.widen("x".repeat(30_000), "nothing was made");
  disk.fill();
  expect(() => file.widen("y".repeat(30_000), "nothing was made")).toThrow(NotSavedError);
  for (let size = 30_100; size < 36_000; size += 100) {
    file.narrow("z".repeat(size));
    expect(file.unsaved).toBeUndefined();
    expect(readFileSync(path, "utf8")).toHaveLength(size);
  }
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(`${path}.reserve`).mode & 0o777).toBe(0o600);
  expect(existsSync(`${path}.${process.pid}.draft`)).toBe(false);
});

test("G31 an answer says what holds, what is not on the disk and what to do, and exits with 5", () => {
  throwUnsaved("done", []);
  const unsaved = { what: "links", path: "/s/grants.json", why: "the disk is full", since: 0 };
  const error = catchError(() => throwUnsaved("revoked abc", [unsaved]));
  expect(error).toMatchObject({
    message:
      "revoked abc. But this is not saved yet: /s/grants.json cannot be written: the disk is full",
    exitCode: ExitCode.unavailable,
    hint: expect.stringMatching(/keeps trying.*undone at the next start/),
  });
});

function catchError(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return error;
  }
  throw new Error("nothing was thrown");
}

// Recordings with a modelled pool and real files: rights, notices, limits, the next bridge.

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { CastEvent } from "../../protocol/asciicast.ts";
import { readCast } from "../../protocol/asciicast.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import type { AuditEntry } from "../audit/audit-log.ts";
import { permissionDenial } from "../callers/permissions.ts";
import type { Reader } from "../terminals/readers.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { formatApprovalMarker } from "./recorder.ts";
import { MAX_RECORDINGS } from "./recording-library.ts";
import type { RecordingNotice } from "./recordings.ts";
import { MAX_RUNNING, MAX_TOTAL_BYTES, Recordings } from "./recordings.ts";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

const edit = callerWith(createGrant("e", { role: "edit", label: "Ada" }), "people");
const ben = callerWith(createGrant("b", { role: "edit", label: "Ben" }), "people");
const view = callerWith(createGrant("v", { role: "view" }), "people");
const agent = callerWith(createGrant("a", { role: "agent" }), "people");

function world(terminals: PoolTerminal[], folder = newFolder(), maxBytes = 1 << 20) {
  const news: RecordingNotice[] = [];
  const audited: AuditEntry[] = [];
  const readers = new Map<string, Reader>();
  const sized = new Set<(terminal: PoolTerminal) => void>();
  const closed = new Set<(event: { event: "closed"; terminal: PoolTerminal }) => void>();
  const announced: string[] = [];
  const recordings = new Recordings({
    pool: {
      get: (id) => terminals.find((one) => one.id === id),
      running: () => terminals,
      updateMeta: (terminal, noted) => void (terminal.meta = { ...terminal.meta, ...noted }),
      read: ({ id }, reader) => void readers.set(id, reader),
      park: () => {},
      unread: ({ id }) => void readers.delete(id),
      announceClosed: ({ id }) => void announced.push(id),
      onSize: (listener) => {
        sized.add(listener);
        return () => void sized.delete(listener);
      },
      onEvent: (listener) => {
        closed.add(listener as never);
        return () => void closed.delete(listener as never);
      },
    },
    takeSnapshot: async ({ cols, rows }) => ({ offset: 0, cols, rows, data: "screen" }),
    getDenialReason: permissionDenial,
    notify: (_terminal, notice) => void news.push(notice),
    audit: { write: (entry) => void audited.push(entry) },
    log: { error: () => {}, info: () => {} },
    folder: join(folder, "recordings"),
    maxBytes,
  });
  const print = (id: string, offset: number, text: string) => {
    const body = Buffer.from(text);
    readers.get(id)?.onOutput({ offset, span: body.length, body });
  };
  return { recordings, news, audited, readers, sized, announced, print, folder };
}

function newFolder(): string {
  const root = mkdtempSync(join(tmpdir(), "pp-rec-"));
  roots.push(root);
  return root;
}

function listEvents(path: string): readonly Pick<CastEvent, "code" | "data">[] {
  const read = readCast(readFileSync(path, "utf8"));
  if (!read.ok) throw new Error(read.error);
  return read.cast.events.map(({ code, data }) => ({ code, data }));
}

test("RE3 RE4 RE6 RE14 RE17 RE19 people with an edit link start and stop; everyone is told by whom, and the audit log knows", async () => {
  const terminal = poolTerminal();
  const { recordings, news, audited, print, sized } = world([terminal]);
  for (const caller of [view, agent]) {
    expect(await recordings.start(caller, terminal)).toMatchObject({ code: "forbidden" });
    expect(await recordings.stop(caller, terminal)).toMatchObject({ code: "forbidden" });
  }
  expect(news).toEqual([]);
  const started = await recordings.start(edit, terminal);
  if (!started.ok) throw new Error(started.error);
  expect(terminal.meta.recording).toMatchObject({ by: "Ada", path: started.path });
  expect(await recordings.start(ben, terminal)).toMatchObject({ code: "bad_request" });
  print(terminal.id, 0, "one");
  recordings.onTyping(edit, terminal);
  recordings.onTyping(edit, terminal);
  recordings.onTyping(ben, terminal);
  recordings.onTyping(edit, terminal);
  for (const notice of sized) notice({ ...terminal, cols: 90, rows: 30 });
  expect(await recordings.stop(ben, terminal)).toEqual({ ok: true, path: started.path });
  expect(await recordings.stop(ben, terminal)).toMatchObject({ code: "bad_request" });
  expect(terminal.meta.recording).toBeUndefined();
  expect(news).toEqual([
    { id: terminal.id, on: true, by: "Ada" },
    { id: terminal.id, on: false, by: "Ben" },
  ]);
  expect(audited.map(({ event, grant }) => [event, grant])).toEqual([
    ["recording started", "e"],
    ["recording stopped", "b"],
  ]);
  expect(listEvents(started.path)).toEqual([
    { code: "o", data: "screen" },
    { code: "o", data: "one" },
    { code: "m", data: "Ada is typing" },
    { code: "m", data: "Ben is typing" },
    { code: "m", data: "Ada is typing" },
    { code: "r", data: "90x30" },
  ]);
  expect(statSync(started.path).mode & 0o777).toBe(0o600);
  recordings.dispose();
});

test("RE18 start and stop that are sent together take place in that order", async () => {
  const terminal = poolTerminal();
  const { recordings, news, readers } = world([terminal]);
  const [on, off, again, end] = await Promise.all([
    recordings.start(edit, terminal),
    recordings.stop(edit, terminal),
    recordings.start(edit, terminal),
    recordings.stop(ben, terminal),
  ]);
  expect([on.ok, off.ok, again.ok, end.ok]).toEqual([true, true, true, true]);
  expect(news.map((notice) => notice.on)).toEqual([true, false, true, false]);
  expect([terminal.meta.recording, readers.size]).toEqual([undefined, 0]);
});

test("RE6 agents' questions and answers are marked in what is being recorded", async () => {
  const terminal = poolTerminal();
  const { recordings } = world([terminal]);
  const started = await recordings.start(edit, terminal);
  const id = "q1";
  recordings.mark(
    formatApprovalMarker({
      type: "approval:settled",
      id,
      outcome: "denied",
      by: { label: "edit link", name: "Ada", door: "people" },
      reason: "not now",
    }),
  );
  recordings.dispose();
  expect(started.ok && listEvents(started.path).at(-1)).toEqual({
    code: "m",
    data: "denied by Ada (edit link): not now",
  });
});

test("RE25 a mark hides agents' secrets as the audit log does", () => {
  const asked = (command: string | string[]) =>
    formatApprovalMarker({
      type: "approval:requested",
      approval: { agent: { grant: "a", label: "Ci" }, command },
    });
  expect(asked("curl -H 'Authorization: Bearer abc.def.ghi' https://x.test")).not.toContain("abc");
  expect(asked(["tool", "--password", "two words"])).toBe("Ci asks: tool --password •••");
  expect(asked(["env", "API_TOKEN=hunter2", "make"])).toBe("Ci asks: env API_TOKEN=••• make");
  const reason = "use API_TOKEN=hunter2";
  expect(
    formatApprovalMarker({ type: "approval:settled", id: "q", outcome: "denied", reason }),
  ).toBe("denied: use API_TOKEN=•••");
});

test("RE4 RE20 RE22 so many at once, none over a file or through a link, and one that is full tells why", async () => {
  const terminals = Array.from({ length: MAX_RUNNING + 1 }, (_, at) =>
    poolTerminal({ id: `pty-00000${at}` }),
  );
  const { recordings, folder, news, print } = world(terminals, newFolder(), 4_096);
  const [first, second, ...others] = terminals;
  if (first === undefined || second === undefined) throw new Error("none");
  const taken = join(folder, "taken.cast");
  writeFileSync(taken, "mine");
  symlinkSync(taken, join(folder, "link.cast"));
  for (const name of ["taken.cast", "link.cast", "no/such/folder.cast"]) {
    expect(await recordings.start(edit, first, join(folder, name))).toMatchObject({ ok: false });
  }
  expect(readFileSync(taken, "utf8")).toBe("mine");
  expect(first.meta.recording).toBeUndefined();
  const out = join(folder, "mine.cast");
  expect(await recordings.start(edit, first, out)).toEqual({ ok: true, path: out });
  print(first.id, 0, "x".repeat(5_000));
  expect(news.at(-1)).toEqual({ id: first.id, on: false, why: "it reached its limit" });
  expect(listEvents(out).at(-1)).toEqual({
    code: "m",
    data: "the recording has reached its limit",
  });
  for (const one of [second, ...others]) {
    expect(await recordings.start(edit, one)).toMatchObject({ ok: true });
  }
  expect(await recordings.start(edit, first)).toMatchObject({ ok: false, code: "too_many" });
  recordings.dispose();
});

test("RE7 the next bridge goes on with the same file, from the screen, and says what is missing", async () => {
  const terminal = poolTerminal();
  const before = world([terminal]);
  const started = await before.recordings.start(edit, terminal);
  if (!started.ok) throw new Error(started.error);
  before.print(terminal.id, 0, "one");
  before.recordings.dispose();
  expect(terminal.meta.recording).toBeDefined();
  // Killed in the middle of a line.
  appendFileSync(started.path, '[0.1, "o", "hal');
  const after = world([terminal], before.folder);
  await Promise.resolve();
  await Promise.resolve();
  after.print(terminal.id, 0, "two");
  expect(after.recordings.list()).toMatchObject([{ running: true }]);
  await after.recordings.stop(edit, terminal);
  expect(listEvents(started.path)).toEqual([
    { code: "o", data: "screen" },
    { code: "o", data: "one" },
    {
      code: "m",
      data: "pairpty was restarted; output from in between is not recorded",
    },
    { code: "r", data: "80x24" },
    { code: "o", data: "\u001Bcscreen" },
    { code: "o", data: "two" },
  ]);
  // A missing file ends the recording.
  const lost = poolTerminal({
    meta: { ...terminal.meta, recording: { path: "/nowhere/x.cast", by: "Ada", since: 0 } },
  });
  world([lost], before.folder).recordings.dispose();
  expect(lost.meta.recording).toBeUndefined();
});

test("RE28 titles tell recordings of one folder apart, and a name stands for itself", async () => {
  const { meta } = poolTerminal();
  const called = [{ number: 1 }, { number: 2 }, { number: 3, name: "deploy" }].map((more, at) =>
    poolTerminal({ id: `pty-00000${at}`, meta: { ...meta, cwd: "/work/demo", ...more } }),
  );
  const { recordings } = world(called);
  for (const terminal of called) await recordings.start(edit, terminal);
  const titles = recordings.list().map(({ title }) => title);
  expect(titles.toSorted()).toEqual(["demo #1", "demo #2", "deploy"]);
  recordings.dispose();
});

test("RE26 where another file or a link is in the place of a recording or its folder, it has ended", async () => {
  const swaps: ((path: string, victim: string) => void)[] = [
    (path, victim) => {
      rmSync(path);
      symlinkSync(victim, path);
    },
    (path, victim) => renameSync(victim, path),
    (path) => {
      renameSync(dirname(path), `${dirname(path)}-away`);
      symlinkSync(`${dirname(path)}-away`, dirname(path));
    },
  ];
  for (const swap of swaps) {
    const terminal = poolTerminal();
    const before = world([terminal]);
    const started = await before.recordings.start(edit, terminal);
    if (!started.ok) throw new Error(started.error);
    before.recordings.dispose();
    const victim = join(before.folder, "victim");
    writeFileSync(victim, "mine");
    swap(started.path, victim);
    const found = readFileSync(started.path, "utf8");
    const after = world([terminal], before.folder);
    expect([terminal.meta.recording, after.readers.size]).toEqual([undefined, 0]);
    expect(after.audited).toMatchObject([{ event: "recording ended", terminal: terminal.id }]);
    after.recordings.dispose();
    expect(readFileSync(started.path, "utf8")).toBe(found);
  }
});

test("RE23 all together have a limit, with what those that run may grow to, and so has their number", async () => {
  const terminals = Array.from({ length: 3 }, (_, at) => poolTerminal({ id: `pty-00000${at}` }));
  const [first, second, third] = terminals;
  if (first === undefined || second === undefined || third === undefined) throw new Error("none");
  const large = world(terminals, newFolder(), MAX_TOTAL_BYTES / 2);
  const both = await Promise.all([first, second].map((one) => large.recordings.start(edit, one)));
  expect(both.map(({ ok }) => ok)).toEqual([true, true]);
  expect(await large.recordings.start(edit, third)).toMatchObject({ code: "too_many" });
  large.recordings.dispose();
  const many = world([third]);
  mkdirSync(join(many.folder, "recordings"));
  for (let at = 0; at < MAX_RECORDINGS; at++) {
    const id = `20260101-000000-${at.toString(16).padStart(4, "0")}`;
    writeFileSync(join(many.folder, "recordings", `${id}.cast`), "");
  }
  expect(await many.recordings.start(edit, third)).toMatchObject({
    code: "too_many",
    error: "There are 1000 recordings; delete some first",
  });
  many.recordings.dispose();
});

test("RE9 recordings are listed newest first, found by their own names alone, and removed when they have ended", async () => {
  const terminal = poolTerminal({ title: "make test" });
  const { recordings, folder } = world([terminal]);
  const started = await recordings.start(edit, terminal);
  if (!started.ok) throw new Error(started.error);
  const [row] = recordings.list();
  expect(row).toMatchObject({ title: "make test", running: true });
  const id = row?.id ?? "";
  expect(recordings.find(id)).toBe(started.path);
  for (const odd of [
    "",
    "..",
    "../recordings/x",
    `../${id}`,
    `${id}.cast`,
    "20260101-000000-abcd",
  ]) {
    expect(recordings.find(odd)).toBeUndefined();
  }
  expect(recordings.remove(edit, id)).toMatchObject({ code: "bad_request" });
  await recordings.stop(edit, terminal);
  writeFileSync(join(folder, "recordings", "20990101-000000-abcd.cast"), "no cast\n");
  // Neither blocks the list nor is followed.
  execFileSync("mkfifo", [join(folder, "recordings", "20990101-000000-abce.cast")]);
  symlinkSync(started.path, join(folder, "recordings", "20990101-000000-abcf.cast"));
  expect(recordings.list().map((one) => one.id)).toEqual([id]);
  expect(recordings.remove(edit, id)).toBeUndefined();
  expect(recordings.remove(edit, id)).toMatchObject({ code: "not_found" });
  expect(existsSync(started.path)).toBe(false);
  recordings.dispose();
});

// Receiving files into a folder of this test: names, symbolic links, aborted uploads, limits.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { UPLOAD_LIMITS, UploadBudget } from "./upload-rules.ts";
import { toConfiguredFolder, removeTemporary, toTemporaryFolder } from "./upload-folder.ts";
import type { IncomingFile } from "./file-receiver.ts";
import { FileReceiver } from "./file-receiver.ts";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function place(mostBytes = 1_000, budget = new UploadBudget()) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pp-files-")));
  roots.push(root);
  const folder = join(root, "in", "here");
  const files = new FileReceiver({
    folder: toConfiguredFolder(folder),
    maxBytes: mostBytes,
    budget,
  });
  return { root, folder, files, budget };
}

const never = new AbortController().signal;

function sent(
  text: string | AsyncIterable<Uint8Array>,
  request: Partial<IncomingFile> = {},
): IncomingFile {
  const body = typeof text === "string" ? pieces(text) : text;
  return {
    grant: "g",
    name: "a.txt",
    size: undefined,
    body,
    signal: never,
    isStillAllowed: () => true,
    ...request,
  };
}

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

/** Yields one piece and then hangs. */
async function* stalled(onStalled: () => void): AsyncGenerator<Uint8Array> {
  yield Buffer.from("half");
  onStalled();
  await new Promise(() => undefined);
}

test("FI2 a file is there whole, its user's alone, and no other is touched", async () => {
  const { folder, files } = place();
  const first = await files.receive(sent(pieces("one", "two")));
  expect(first).toEqual({ ok: true, name: "a.txt", path: join(folder, "a.txt"), size: 6 });
  const second = await files.receive(sent("other", { name: "../a.txt" }));
  expect(second).toMatchObject({ ok: true, name: "a-2.txt" });
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("onetwo");
  expect(readFileSync(join(folder, "a-2.txt"), "utf8")).toBe("other");
  expect(statSync(join(folder, "a.txt")).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("FI2 a link under its name, or in the place of its folder, leads nowhere", async () => {
  const { root, folder, files } = place();
  mkdirSync(folder, { recursive: true });
  const victim = join(root, "victim");
  writeFileSync(victim, "mine");
  symlinkSync(victim, join(folder, "a.txt"));
  expect(await files.receive(sent("x"))).toMatchObject({ ok: true, name: "a-2.txt" });
  rmSync(folder, { recursive: true });
  mkdirSync(join(root, "elsewhere"));
  symlinkSync(join(root, "elsewhere"), folder);
  expect(await files.receive(sent("x"))).toMatchObject({ ok: false, code: "internal" });
  // The same for a folder further up.
  rmSync(join(root, "in"), { recursive: true });
  mkdirSync(join(root, "elsewhere", "here"));
  symlinkSync(join(root, "elsewhere"), join(root, "in"));
  expect(await files.receive(sent("x"))).toMatchObject({
    ok: false,
    error: expect.stringContaining("writes no files through links"),
  });
  expect(readdirSync(join(root, "elsewhere"), { recursive: true })).toEqual(["here"]);
  expect(readFileSync(victim, "utf8")).toBe("mine");
});

test("FI3 of a file that breaks off, is too long or is not what was announced nothing is left", async () => {
  const { folder, files } = place(10);
  const leave = new AbortController();
  const cut = stalled(() => leave.abort());
  expect(await files.receive(sent(cut, { signal: leave.signal }))).toMatchObject({ ok: false });
  const failing = (async function* () {
    yield Buffer.from("half");
    throw new Error("the link is gone");
  })();
  expect(await files.receive(sent(failing))).toMatchObject({
    ok: false,
    error: expect.stringContaining("the link is gone"),
  });
  expect(await files.receive(sent(pieces("123456", "78901")))).toMatchObject({
    code: "too_large",
  });
  expect(await files.receive(sent("x", { size: 11 }))).toMatchObject({ code: "too_large" });
  expect(await files.receive(sent("123", { size: 4 }))).toMatchObject({ code: "bad_request" });
  expect(await files.receive(sent("12345", { size: 4 }))).toMatchObject({ code: "bad_request" });
  expect(readdirSync(folder)).toEqual([]);
  expect(await files.receive(sent("1234567890", { size: 10 }))).toMatchObject({ ok: true });
});

test("FI8 a file whose link ended meanwhile is not kept, nor one that takes for ever", async () => {
  const { folder, files } = place();
  expect(await files.receive(sent("x", { isStillAllowed: () => false }))).toMatchObject({
    code: "forbidden",
  });
  const slow = new FileReceiver({ folder: toConfiguredFolder(folder), maxBytes: 10, maxMs: 1 });
  expect(await slow.receive(sent(stalled(() => undefined)))).toMatchObject({ ok: false });
  expect(readdirSync(folder)).toEqual([]);
});

test("FI9 what a killed bridge had half of is swept; what may be under way and what is not ours stays", async () => {
  const { folder, files } = place();
  await files.removeOldPartials();
  expect(existsSync(folder)).toBe(false);
  mkdirSync(folder, { recursive: true });
  const [dead, fresh] = [".0123456789abcdef.part", ".fedcba9876543210.part"];
  const others = ["0123456789abcdef.part", ".mine.part", ".0123456789abcdef.part.txt"];
  for (const name of [dead, fresh, ...others]) writeFileSync(join(folder, name), "half");
  const longAgo = new Date(Date.now() - 11 * 60_000);
  for (const name of [dead, ...others]) utimesSync(join(folder, name), longAgo, longAgo);
  await files.removeOldPartials();
  expect(readdirSync(folder).toSorted()).toEqual([fresh, ...others].toSorted());
});

test("FI8 a folder that was moved meanwhile gets nothing, and no path is told that is another's", async () => {
  const { root, folder, files } = place();
  const moved = async function* () {
    yield Buffer.from("half");
    renameSync(folder, join(root, "away"));
    mkdirSync(folder);
    writeFileSync(join(folder, "a.txt"), "another");
  };
  expect(await files.receive(sent(moved()))).toMatchObject({
    ok: false,
    error: expect.stringContaining("moved meanwhile"),
  });
  expect(readdirSync(join(root, "away"))).toEqual([]);
  expect(readdirSync(folder)).toEqual(["a.txt"]);
});

test("FI4 one link has four files on their way, all have eight, and each end makes room", () => {
  const budget = new UploadBudget();
  const begin = (grant: string) => budget.begin(grant);
  const first = begin("a");
  for (let count = 0; count < 3; count++) expect(begin("a").ok).toBe(true);
  expect(begin("a").ok).toBe(false);
  for (let count = 0; count < 4; count++) expect(begin("b").ok).toBe(true);
  expect(begin("c").ok).toBe(false);
  if (first.ok) first.slot.end(false);
  expect(begin("c").ok).toBe(true);
});

test("FI10 a loop of tiny files stops at the minute's limit, then at that of all", async () => {
  let now = 0;
  const limits = { ...UPLOAD_LIMITS, maxFiles: 130 };
  const { folder, files } = place(1_000, new UploadBudget(limits, () => now));
  const taken = async (count: number) => {
    let good = 0;
    for (let one = 0; one < count; one++) if ((await files.receive(sent("x"))).ok) good += 1;
    return good;
  };
  expect(await taken(70)).toBe(60);
  now += 60_001;
  expect(await taken(70)).toBe(60);
  now += 60_001;
  expect(await taken(70)).toBe(10);
  expect(readdirSync(folder)).toHaveLength(130);
});

test("FI10 all files together have a limit, and what was given up does not count", async () => {
  const limits = { ...UPLOAD_LIMITS, maxBytes: 20_000 };
  const { files } = place(20_000, new UploadBudget(limits));
  const large = "x".repeat(12_000);
  expect((await files.receive(sent(large, { isStillAllowed: () => false }))).ok).toBe(false);
  expect((await files.receive(sent(large))).ok).toBe(true);
  expect(await files.receive(sent(large))).toMatchObject({ ok: false, code: "too_many" });
});

test("FI7 the temporary folder is outside the workspace, ours alone, and goes at the end", async () => {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "pp-files-")));
  roots.push(workspace);
  const folder = toTemporaryFolder(workspace);
  const files = new FileReceiver({ folder, maxBytes: 10 });
  const received = await files.receive(sent("x"));
  expect(received).toMatchObject({ ok: true });
  expect(folder.path.startsWith(workspace)).toBe(false);
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  // The next bridge of this folder finds it, and may remove it.
  new FileReceiver({ folder: toTemporaryFolder(workspace), maxBytes: 10 }).removeFolder();
  expect(existsSync(folder.path)).toBe(false);
  expect(files.removeFolder()).toBeUndefined();
  const chosen = place();
  await chosen.files.receive(sent("x"));
  chosen.files.removeFolder();
  expect(readdirSync(chosen.folder)).toEqual(["a.txt"]);
});

test("FI13 a temporary folder that cannot be removed stays and is told, and one of someone else stays", async () => {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "pp-files-")));
  roots.push(workspace);
  const folder = toTemporaryFolder(workspace);
  roots.push(folder.path);
  mkdirSync(folder.path);
  const removeAs = (uid: number) =>
    removeTemporary(folder, {
      uid,
      remove: () => {
        throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
      },
    });
  const uid = userInfo().uid;
  expect(removeAs(uid)).toContain("was not removed: EACCES");
  expect(removeAs(uid + 1)).toContain("another user");
  expect(existsSync(folder.path)).toBe(true);
});

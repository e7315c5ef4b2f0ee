// Which of the user's files coding agents reach: links, names, sizes and concurrent changes.

import {
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { ApprovalResult } from "../pipeline/pipeline.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { toGuardTest } from "../isolation/guards.ts";
import { Failure } from "./agent-ports.ts";
import type { AgentFilesDeps, WriteContext } from "./agent-files.ts";
import { AgentFiles, sliceLines } from "./agent-files.ts";
import { MAX_FILE_BYTES, withFile } from "./checked-open.ts";

const CALLER = callerWith(createGrant("aaaaaaaaaa"));

function place(
  more: Partial<AgentFilesDeps> = {},
  answer: () => ApprovalResult = () => ({ ok: true }),
) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "pp-files-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, "work");
  const state = join(root, "state");
  mkdirSync(join(root, ".git", "hooks"), { recursive: true });
  mkdirSync(state);
  writeFileSync(join(base, "secret"), "secret");
  writeFileSync(join(state, "grants.json"), "ours");
  writeFileSync(join(root, "a.txt"), "a\n");
  const asked: string[] = [];
  const files = new AgentFiles({
    roots: [root],
    ownFolders: [state],
    isGuarded: toGuardTest([root]),
    guards: () => [join(root, ".git", "hooks")],
    approvals: {
      request: ({ command }) => {
        asked.push(String(command));
        return Promise.resolve(answer());
      },
    },
    inSandbox: "run",
    policyVersion: "1",
    ...more,
  });
  const write = (path: string, content: string, context: Partial<WriteContext> = {}) =>
    files.write(path, content, {
      caller: CALLER,
      isolation: "none",
      subject: "s",
      signal: new AbortController().signal,
      ...context,
    });
  return { base, root, state, files, write, asked };
}

test("AC12 nothing outside the shared folders, whatever name leads there", async () => {
  const { base, root, files, write, asked } = place();
  symlinkSync(join(base, "secret"), join(root, "link"));
  symlinkSync(base, join(root, "out"));
  symlinkSync("/nowhere/at/all", join(root, "dangling"));
  const outside = [join(base, "secret"), join(root, "link"), join(root, "out", "secret")];
  for (const path of [
    ...outside,
    "/etc/passwd",
    join(root, "..", "secret"),
    "/proc/self/environ",
  ]) {
    await expect(files.read(path), path).rejects.toThrow(/outside the shared folders/);
  }
  for (const path of [...outside, join(root, "out", "new"), join(base, "new")]) {
    await expect(write(path, "x"), path).rejects.toThrow(/outside the shared folders/);
  }
  await expect(write(join(root, "dangling"), "x")).rejects.toThrow(/another process/);
  expect(asked).toEqual([`write ${join(root, "dangling")}`]);
  await expect(files.read("a.txt")).rejects.toThrow(/absolute/);
  await expect(files.read(join(root, "none"))).rejects.toThrow(/No such file/);
  expect(readFileSync(join(base, "secret"), "utf8")).toBe("secret");
});

test("AC94 pairpty's own files are out of reach, by links and by second names, too", async () => {
  const { root, state, files, write } = place();
  const own = join(state, "grants.json");
  symlinkSync(own, join(root, "soft"));
  linkSync(own, join(root, "hard"));
  for (const path of [own, join(root, "soft"), join(root, "hard")]) {
    await expect(files.read(path), path).rejects.toThrow(/belongs to pairpty/);
    await expect(write(path, "x"), path).rejects.toThrow(/belongs to pairpty/);
  }
  await expect(write(join(state, "new"), "x")).rejects.toThrow(/belongs to pairpty/);
  expect(readFileSync(own, "utf8")).toBe("ours");
});

test("AC13 what would run as the user later is not written, at any level", async () => {
  const { root, write, asked } = place();
  writeFileSync(join(root, ".git", "hooks", "pre-commit"), "#!/bin/sh\n");
  linkSync(join(root, ".git", "hooks", "pre-commit"), join(root, "other-name"));
  // An existing file with this name alone.
  writeFileSync(join(root, ".mcp.json"), "{}");
  mkdirSync(join(root, "sub"));
  const guarded = [
    ".git/hooks/pre-commit",
    ".git/hooks/new",
    ".git/config",
    ".mcp.json",
    ".envrc",
    ".vscode/tasks.json",
    "pairpty.config.json",
    "sub/.envrc",
    "other-name",
  ];
  for (const name of guarded) {
    for (const isolation of ["none", "sandbox"] as const) {
      const writing = write(join(root, name), "x", { isolation });
      await expect(writing, name).rejects.toThrow(/could run as the user later/);
    }
  }
  expect(asked).toEqual([]);
});

test("AC95 a guarded name counts as it was asked for, wherever its links lead", async () => {
  const { root, write, asked } = place();
  renameSync(join(root, ".git"), join(root, "gd"));
  symlinkSync("gd", join(root, ".git"));
  writeFileSync(join(root, "gd", "hooks", "old"), "");
  symlinkSync(".git", join(root, "other"));
  for (const name of ["hooks/pre-commit", "hooks/old", "config", "commondir"]) {
    for (const folder of [".git", "gd", "other"]) {
      const writing = write(join(root, folder, name), "x");
      await expect(writing, `${folder}/${name}`).rejects.toThrow(/could run as the user later/);
    }
  }
  expect(asked).toEqual([]);
});

test("AC13 a folder that would be guarded is not made, and no one is asked", async () => {
  const { root, write, asked } = place();
  for (const isolation of ["none", "sandbox"] as const) {
    const writing = write(join(root, "sub", ".git", "HEAD"), "x", { isolation });
    await expect(writing).rejects.toThrow(/could run as the user later/);
  }
  expect(asked).toEqual([]);
  expect(existsSync(join(root, "sub"))).toBe(false);
});

test("AC12 what is refused was looked at, not opened", () => {
  const { base } = place();
  const pipe = join(base, "pipe");
  execFileSync("mkfifo", [pipe]);
  let flags = 0;
  const refuse = ({ fd }: { fd: number }) => {
    const info = readFileSync(`/proc/self/fdinfo/${fd}`, "utf8");
    flags = Number.parseInt(/flags:\s*(\d+)/.exec(info)?.[1] ?? "", 8);
    throw new Failure("refused", "no");
  };
  expect(() => withFile(pipe, constants.O_RDWR, refuse, () => {})).toThrow("no");
  expect(flags & 0o10000000).not.toBe(0);
});

test("AC12 a folder is no file to read", async () => {
  const { root, files } = place();
  await expect(files.read(root)).rejects.toThrow(new Failure("invalid", `${root} is a folder`));
});

test("AC7 lines are found by their ends, whatever is in them", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\n", "\r", "€", "") });
  const count = fc.integer({ min: 0, max: 9 });
  fc.assert(
    fc.property(text, count, fc.option(count, { nil: undefined }), (whole, line, limit) => {
      const from = Math.max(0, line - 1);
      const end = limit === undefined ? undefined : from + limit;
      const wanted = whole
        .split(/(?<=\n)/)
        .slice(from, end)
        .join("");
      expect(sliceLines(Buffer.from(whole), line, limit)).toBe(wanted);
    }),
  );
  expect(sliceLines(Buffer.alloc(MAX_FILE_BYTES, "\n"), 4_000_000, 1)).toBe("\n");
});

test("AC12 only regular files of at most 4 MiB", async () => {
  const { root, files, write } = place();
  execFileSync("mkfifo", [join(root, "pipe")]);
  writeFileSync(join(root, "big"), Buffer.alloc(MAX_FILE_BYTES + 1));
  await expect(files.read(join(root, "pipe"))).rejects.toThrow(/Not a regular file/);
  await expect(files.read(join(root, "big"))).rejects.toThrow(/bytes/);
  await expect(write(join(root, "pipe"), "x")).rejects.toThrow(/Not a regular file/);
  await expect(write(root, "x")).rejects.toThrow(/Not a file/);
  const much = "x".repeat(MAX_FILE_BYTES + 1);
  await expect(write(join(root, "a.txt"), much)).rejects.toThrow(/bytes/);
});

test("AC99 files are read one after the other, and everyone else has a turn in between", async () => {
  const { root, files } = place();
  const path = join(root, "much");
  writeFileSync(path, Buffer.alloc(MAX_FILE_BYTES, "0123456\n"));
  let turn = 0;
  const count = (): void => {
    turn += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const turns = await Promise.all(
    Array.from({ length: 8 }, async () => {
      expect(await files.read(path, 2, 1)).toBe("0123456\n");
      return turn;
    }),
  );
  clearImmediate(timer);
  expect(new Set(turns).size).toBe(8);
  expect(turns).toEqual(turns.toSorted((a, b) => a - b));
});

test("AC92 what was changed, or swapped, while a person thought about it is not written", async () => {
  let meanwhile = () => {};
  const { base, root, write } = place({}, () => {
    meanwhile();
    return { ok: true };
  });
  const path = join(root, "a.txt");
  meanwhile = () => writeFileSync(path, "theirs\n");
  await expect(write(path, "mine")).rejects.toThrow(/has changed/);
  meanwhile = () => {
    rmSync(path);
    symlinkSync(join(base, "secret"), path);
  };
  await expect(write(path, "mine")).rejects.toThrow(/outside the shared folders/);
  expect(readFileSync(join(base, "secret"), "utf8")).toBe("secret");
  mkdirSync(join(root, "dir"));
  meanwhile = () => {
    renameSync(join(root, "dir"), join(root, "was"));
    symlinkSync(base, join(root, "dir"));
  };
  await expect(write(join(root, "dir", "new"), "mine")).rejects.toThrow(/outside/);
});

test("AC92 a new file is written into the folder that a person saw, and no other", async () => {
  let swap = () => {};
  const { root, write } = place({}, () => {
    swap();
    return { ok: true };
  });
  mkdirSync(join(root, "other"));
  const ways: [string, (dir: string) => void][] = [
    ["a link elsewhere", (dir) => symlinkSync(join(root, "other"), dir)],
    ["a link to itself", (dir) => symlinkSync(`${dir}.was`, dir)],
    ["another folder", (dir) => mkdirSync(dir)],
  ];
  for (const [index, [name, make]] of ways.entries()) {
    const dir = join(root, `dir${index}`);
    mkdirSync(dir);
    swap = () => {
      renameSync(dir, `${dir}.was`);
      make(dir);
    };
    await expect(write(join(dir, "new"), "mine"), name).rejects.toThrow(/another folder/);
    for (const where of [dir, `${dir}.was`, join(root, "other")]) {
      expect(existsSync(join(where, "new")), name).toBe(false);
    }
  }
  // A missing folder on the way: a symlink in its place is not followed.
  swap = () => symlinkSync(join(root, "other"), join(root, "fresh"));
  await expect(write(join(root, "fresh", "new"), "mine")).rejects.toThrow(/cannot be opened/);
  expect(existsSync(join(root, "other", "new"))).toBe(false);
});

test("AC91 behind a wall a write is not asked about, unless the user wants that; new folders are made", async () => {
  const isolated = place();
  await isolated.write(join(isolated.root, "x", "y", "new.txt"), "new", { isolation: "sandbox" });
  expect(readFileSync(join(isolated.root, "x", "y", "new.txt"), "utf8")).toBe("new");
  await isolated.write(join(isolated.root, "a.txt"), "b", { isolation: "sandbox" });
  expect(readFileSync(join(isolated.root, "a.txt"), "utf8")).toBe("b");
  expect(isolated.asked).toEqual([]);
  const asking = place({ inSandbox: "ask" }, () => ({ ok: false, error: "no" }));
  const writing = asking.write(join(asking.root, "a.txt"), "b", { isolation: "sandbox" });
  await expect(writing).rejects.toThrow("no");
  expect(readFileSync(join(asking.root, "a.txt"), "utf8")).toBe("a\n");
});

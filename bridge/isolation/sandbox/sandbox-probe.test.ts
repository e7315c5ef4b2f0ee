import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import type { ProgramResult } from "../../processes/run-program.ts";
import { formatUnavailable, toOutsideFinder, CachedCheck } from "../find-tool.ts";
import { probeSandbox } from "./sandbox-probe.ts";
import { formatGitconfig } from "../git-files.ts";
import { formatPasswd } from "./sandbox-files.ts";

const LINUX = { platform: "linux", arch: "x64" } as const;
const done = (out = ""): ProgramResult => ({
  is: "ended",
  code: 0,
  firstLine: out,
  lines: [out],
  errorLine: "",
});
const failed = (complaint: string): ProgramResult => ({
  is: "ended",
  code: 1,
  firstLine: "",
  lines: [],
  errorLine: complaint,
});

/** Returns a machine with these programs, where bubblewrap prints this. */
function machine(
  trial: ProgramResult,
  {
    env = done(),
    strict = trial,
    sized = trial,
  }: { env?: ProgramResult; strict?: ProgramResult; sized?: ProgramResult } = {},
) {
  return async (command: string, args: readonly string[]): Promise<ProgramResult> => {
    await Promise.resolve();
    if (command.endsWith("/env")) return env;
    if (args[0] === "--version") return done("bubblewrap 0.8.0");
    if (args.includes("--disable-userns")) return strict;
    return args.includes("--size") ? sized : trial;
  };
}
const all = (name: string) => `/usr/bin/${name}`;

async function why(...asked: Parameters<typeof probeSandbox>): Promise<string> {
  const ability = await probeSandbox(...asked);
  return ability.ok ? "works" : formatUnavailable(ability);
}

test("I2 each thing that a sandbox lacks is one sentence, with what to do", async () => {
  const trial = machine(done());
  expect(await why(trial, all, all, LINUX)).toBe("works");
  expect(await why(trial, all, all, { platform: "darwin", arch: "arm64" })).toMatch(
    /needs Linux.*container/,
  );
  expect(await why(trial, all, all, { platform: "linux", arch: "ppc64" })).toMatch(
    /does not support ppc64/,
  );
  const without = (missing: string) => (name: string) =>
    name === missing ? undefined : `/usr/bin/${name}`;
  expect(await why(trial, without("bwrap"), all, LINUX)).toMatch(
    /not installed.*apt install bubblewrap/,
  );
  const old = machine(done(), { env: failed("unrecognized option") });
  expect(await why(old, all, all, LINUX)).toMatch(/cannot set signals.*coreutils 8\.31/);
  const refused = (text: string) => why(machine(failed(text)), all, all, LINUX);
  expect(await refused("bwrap: No permissions to create new namespace")).toMatch(
    /User namespaces are disabled.*unprivileged_userns_clone/,
  );
  expect(
    await refused("bwrap: Creating new namespace failed, user namespaces exceeded (ENOSPC)"),
  ).toMatch(/cannot create more user namespaces.*max_user_namespaces/);
  expect(await refused("bwrap: setting up uid map: Permission denied")).toMatch(/AppArmor/);
  expect(await refused("bwrap: Can't mount proc on /newroot/proc")).toMatch(/Can't mount proc/);
  expect(await why(machine({ is: "hung" }), all, all, LINUX)).toMatch(/did not answer/);
});

test("I9 an older bubblewrap, which cannot forbid namespaces inside, is used without that", async () => {
  const old = machine(done(), { strict: failed("unknown option --disable-userns") });
  expect(await probeSandbox(old, all, all, LINUX)).toMatchObject({
    value: { canForbidNamespaces: false, canSizeFolders: true },
  });
});

test("I91 an older bubblewrap, which cannot bound private folders, is used without that", async () => {
  const old = machine(done(), {
    strict: failed("unknown option --disable-userns"),
    sized: failed("unknown option --size"),
  });
  expect(await probeSandbox(old, all, all, LINUX)).toMatchObject({
    value: { canForbidNamespaces: false, canSizeFolders: false },
  });
});

test("I72 a good answer is kept, a bad one for half a minute", async () => {
  let now = 0;
  let asked = 0;
  let isThere = false;
  const ask = async () => {
    await Promise.resolve();
    asked++;
    return isThere
      ? ({ ok: true, value: 1 } as const)
      : ({ ok: false, why: "no", cure: "do" } as const);
  };
  const remembered = new CachedCheck(ask, () => now);
  expect(remembered.lastResult).toBeUndefined();
  await Promise.all([remembered.run(), remembered.run()]);
  expect([asked, remembered.lastResult?.ok]).toEqual([1, false]);
  isThere = true;
  now = 29_999;
  expect(await remembered.run()).toMatchObject({ ok: false });
  now = 30_000;
  expect(await remembered.run()).toMatchObject({ ok: true });
  now = 99_000_000;
  await remembered.run();
  expect(asked).toBe(2);
});

test("I81 inside one has a name and commits by the user's; nothing else of their settings", () => {
  const user = { uid: 1000, gid: 1000, isRoot: false, name: "a:b", home: "/home/me" };
  expect(formatPasswd(user, "/bin/sh").split("\n")[0]).toBe("a_b:x:1000:1000::/home/me:/bin/sh");
  expect(
    formatGitconfig(
      { name: 'Q "the" \\', email: "q@example.com" },
      { roots: ["/w"], ignored: "/i" },
    ),
  ).toBe(
    '[user]\n\tname = "Q \\"the\\" \\\\"\n\temail = "q@example.com"\n[core]\n\texcludesFile = "/i"\n[safe]\n\tdirectory = "/w"\n',
  );
  expect(formatGitconfig({}, { roots: [], ignored: "" })).toBe("[user]\n[core]\n[safe]\n");
});

test("I2 a program that agents could have put there is not taken for a wall's", () => {
  const folder = mkdtempSync(join(tmpdir(), "pairpty-find-"));
  writeFileSync(join(folder, "env"), "#!/bin/sh\n", { mode: 0o755 });
  expect(toOutsideFinder(`${folder}:/usr/bin`, [])("env")).toBe(join(folder, "env"));
  const guarded = toOutsideFinder(`${folder}:.:${folder}/../${basename(folder)}`, [folder]);
  expect(guarded("env")).toBe("/usr/bin/env");
  expect(guarded("pairpty-no-such-program")).toBeUndefined();
  rmSync(folder, { recursive: true });
});

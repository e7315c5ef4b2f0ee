// The decisions about agents, without processes: limits, ownership, roots, secrets, reading, waiting.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { getLane } from "../terminals/terminal.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import { truncateList, toTerminalMetadata } from "../dialects/mcp/tool-results.ts";
import { maskText, maskValue } from "../secrets/mask.ts";
import { isSecret } from "../secrets/secret-names.ts";
import { withoutSecrets, resolveInRoots } from "./environment.ts";
import { hasInactivityTimeout, killDenial, promoteDenial } from "./ownership.ts";
import { ContinuousReader, readSlice } from "../reading/terminal-text.ts";
import { RequestKeys } from "./request-keys.ts";
import { compilePattern, waitUntil } from "../reading/wait-until.ts";

function createTerminal(meta: Partial<PoolTerminal["meta"]>): PoolTerminal {
  return poolTerminal({
    meta: { cwd: "/", owner: "agent", visible: false, createdAt: 0, ...meta },
  });
}
const mine = { startedBy: { grant: "aaaaaaaaaa", label: "" } };

test("S4 the documented ownership table: only its own background terminals may an agent kill", () => {
  const kill = (meta: Partial<PoolTerminal["meta"]>) =>
    killDenial("aaaaaaaaaa", createTerminal(meta));
  expect(kill(mine)).toBeUndefined();
  expect(kill({ ...mine, owner: "user", visible: true })).toBe(
    "Cannot kill visible or user-owned terminals",
  );
  expect(kill({ owner: "user", visible: true })).toBe(
    "Cannot kill visible or user-owned terminals",
  );
  expect(kill({ startedBy: { grant: "bbbbbbbbbb", label: "" } })).toBe(
    "Terminal belongs to another agent",
  );
});

test("S4 S28 promotion is for one's own, keeps its origin, and ends the timeout", () => {
  expect(promoteDenial("aaaaaaaaaa", createTerminal(mine))).toBeUndefined();
  expect(promoteDenial("bbbbbbbbbb", createTerminal(mine))).toBe(
    "Terminal belongs to another agent",
  );
  expect(promoteDenial("aaaaaaaaaa", createTerminal({ owner: "user", visible: true }))).toMatch(
    /Only/,
  );
  const promoted = createTerminal({ ...mine, owner: "user", visible: true });
  expect([getLane(promoted.meta), hasInactivityTimeout(promoted)]).toEqual(["background", false]);
  expect([getLane(createTerminal(mine).meta), hasInactivityTimeout(createTerminal(mine))]).toEqual([
    "background",
    true,
  ]);
});

test("S5 a folder must exist and lie inside the roots, links resolved", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pp-roots-")));
  mkdirSync(join(root, "in", "deep"), { recursive: true });
  mkdirSync(join(root, "in-not"));
  symlinkSync("/etc", join(root, "in", "out"));
  symlinkSync(join(root, "in", "deep"), join(root, "in", "link"));
  const place = (cwd: string) => resolveInRoots(cwd, [join(root, "in")]);
  expect(place(".")).toEqual({ ok: true, path: join(root, "in") });
  expect(place(join(root, "in", "link"))).toEqual({ ok: true, path: join(root, "in", "deep") });
  for (const outside of ["..", "out", "/etc", join(root, "in-not"), "deep/../.."]) {
    expect(place(outside), outside).toMatchObject({ ok: false });
  }
  expect(place("missing")).toMatchObject({ error: expect.stringMatching(/not found/) });
  rmSync(root, { recursive: true });
});

test("S6 secrets do not reach agents' children; the rest does", () => {
  const secrets = [
    "AWS_SECRET_ACCESS_KEY",
    "GITHUB_TOKEN",
    "NPM_TOKEN",
    "OPENAI_API_KEY",
    "PAIRPTY_RELAY_KEY",
    "DB_PASSWORD",
    "SSH_AUTH_SOCK",
    "DATABASE_URL",
    "MY_API_KEY",
    "STRIPE_KEY",
    "KUBECONFIG",
    "PGPASSWORD",
    "MYSQL_PWD",
    "DB_PASS",
    "JWT",
    "SLACK_WEBHOOK",
    "SECRETKEY",
    "DOCKER_HOST",
    "npm_config__auth",
    "GOOGLE_APPLICATION_CREDENTIALS",
  ];
  for (const name of secrets) expect(isSecret(name), name).toBe(true);
  const plain = [
    "PATH",
    "HOME",
    "LANG",
    "EDITOR",
    "NODE_ENV",
    "KEYBOARD",
    "AUTHOR",
    "PORT",
    "TOKENIZER",
  ];
  for (const name of plain) expect(isSecret(name), name).toBe(false);
  const given = withoutSecrets(
    { PATH: "/bin", NPM_TOKEN: "x", AWS_REGION: "y" },
    new Set(["AWS_REGION"]),
  );
  expect(given).toEqual({ PATH: "/bin", AWS_REGION: "y" });
  const values = {
    HTTPS_PROXY: "http://u:p@proxy",
    SITE: "http://host/a:b@c",
    PWD: "/x",
    OLDPWD: "/y",
  };
  expect(Object.keys(withoutSecrets(values))).toEqual(["SITE", "PWD", "OLDPWD"]);
});

test("S32 what is written down has no secrets in it", () => {
  const token = `pp_${"a".repeat(10)}_${"b".repeat(32)}`;
  for (const text of [
    `curl -H "Authorization: Bearer abcdefghijkl" x`,
    "NPM_TOKEN=hunter2secret npm publish",
    "https://me:hunter2secret@example.com/",
    `echo ${token}`,
    "tool --password hunter2secret",
    "tool --token=hunter2secret",
    "PGPASSWORD=hunter2secret psql",
    "curl -u me:hunter2secret http://x",
    "curl -H 'X-Api-Key: hunter2secret' x",
    '{"password":"hunter2secret"}',
    "redis://:hunter2secret@h",
    "https://hunter2secret@host/x",
    "--token='hunter2secret and more'",
    "Authorization: token hunter2secret",
  ]) {
    const masked = maskText(text);
    expect(masked).not.toMatch(/hunter2secret|abcdefghijkl|bbbbbbbb/);
    expect(masked).toContain("•••");
  }
  expect(maskValue({ command: ["x", "--api-key", "hunter2secret"], cwd: "/a" })).toEqual({
    command: ["x", "--api-key", "•••"],
    cwd: "/a",
  });
  expect(maskText("npm run dev PORT=3000")).toBe("npm run dev PORT=3000");
});

test("S35 S36 reading: the end by default, from an offset on request, always whole characters", () => {
  const text = Array.from({ length: 9_000 }, (_, i) => `line ${i} é`).join("\r\n");
  const retained = { offset: 1_000, bytes: Buffer.from(text) };
  const end = readSlice(retained, {}, true);
  expect(end.truncated).toBe(true);
  expect(end.next - end.offset).toBeLessThanOrEqual(65_536);
  expect(end.next - end.offset).toBeGreaterThan(65_000);
  expect(end.text.startsWith("line ")).toBe(true);
  expect(end.text.endsWith("line 8999 é")).toBe(true);
  let at = 0;
  let joined = "";
  for (let reads = 0; at < 1_000 + retained.bytes.length; reads++) {
    const part = readSlice(retained, { offset: at, maxBytes: 7_001, raw: true }, true);
    joined += part.text;
    expect(part.truncated).toBe(reads === 0);
    at = part.next;
  }
  expect(joined).toBe(text);
  expect(readSlice(retained, { offset: at }, true)).toMatchObject({ text: "", next: at });
});

test("S37 escape sequences are stripped for agents, and kept on request", () => {
  const printed = "\u001b[31mred\u001b[0m\r\n\u001b]0;user@host: ~/a b\u0007x";
  const retained = { offset: 0, bytes: Buffer.from(printed) };
  expect(readSlice(retained, {}, true).text).toBe("red\nx");
  expect(readSlice(retained, { raw: true }, true).text).toContain("\u001b[31m");
});

const TITLED = Buffer.from(
  "one\u001b]0;is ready soon\u0007 two\u001bP1$r0m\u001b\\ é\u009b1mthree",
);

test("S37 a sequence that the range of a read cuts does not leak, at neither edge", () => {
  for (let cut = 0; cut <= TITLED.length; cut++) {
    const retained = { offset: 0, bytes: TITLED };
    const first = readSlice(retained, { offset: 0, maxBytes: cut }, true);
    const rest = readSlice(retained, { offset: first.next }, true);
    expect(first.text + rest.text, `cut at ${cut}`).toBe("one two éthree");
  }
});

test("S37 where the beginning of a sequence is no longer kept, text begins with the next line", () => {
  const retained = { offset: 5, bytes: Buffer.from("s ready soon\u0007one\r\ntwo\r\n") };
  for (const request of [{}, { offset: 0 }, { offset: 5 }, { offset: 9 }]) {
    expect(readSlice(retained, request, true).text).toBe("two\n");
  }
  expect(readSlice(retained, { offset: 0, raw: true }, true).text).toContain("s ready");
});

test("S9 a wait looks at text alone, however it comes and from wherever it looks", () => {
  for (let cut = 0; cut <= TITLED.length; cut++) {
    const reading = new ContinuousReader(0, 1_000);
    reading.text({ offset: 0, bytes: TITLED.subarray(0, cut) });
    const bytes = TITLED.subarray(reading.from);
    expect(reading.text({ offset: reading.from, bytes }), `${cut}`).toBe("one two éthree");
    const within = new ContinuousReader(cut, 1_000).text({ offset: 0, bytes: TITLED });
    expect("one two éthree".endsWith(within), `from ${cut}: ${within}`).toBe(true);
  }
});

test("S9 a wait gives the end of what it looked at again, and goes on behind a gap", () => {
  const reading = new ContinuousReader(0, 4);
  expect(reading.text({ offset: 0, bytes: Buffer.from("compiling\r") })).toBe("compiling\r");
  expect(reading.text({ offset: 10, bytes: Buffer.from("\nok\u001b[") })).toBe("ing\nok");
  expect(reading.from).toBe(15);
  expect(reading.text({ offset: 40, bytes: Buffer.from("lost\u0007\r\nx") })).toBe("g\nokx");
});

test("S41 patterns are text, or expressions in linear time; a bad one is said", () => {
  const yes = (pattern: string, regex: boolean | undefined, text: string) => {
    const matcher = compilePattern(pattern, regex);
    return typeof matcher === "function" ? matcher(text) : matcher;
  };
  expect(yes("ready (1)", false, "is ready (1) now")).toBe(true);
  expect(yes("^port \\d+$", true, "a\nport 3000\nb")).toBe(true);
  for (const regex of [true, undefined]) {
    expect(yes("/^port \\d+$/", regex, "a\nport 3000\nb"), "Y33 between slashes").toBe(true);
  }
  expect(yes("/a+/", false, "aaa")).toBe(false);
  expect(yes("/a+/", false, "x/a+/y")).toBe(true);
  expect(yes("/usr/bin", undefined, "in /usr/bin")).toBe(true);
  expect(yes("(", true, "x")).toMatch(/not a regular expression/);
  expect(yes("(a+)+$", true, `${"a".repeat(50_000)}b`)).toBe(false);
  expect(yes("", false, "x")).toMatch(/empty/);
  for (const costly of ["[ab]{0,1000}[xy]", "(?:[ab]{0,30}){0,30}[xy]"]) {
    expect(yes(costly, true, "x")).toMatch(/too costly/);
  }
});

test("S41 when a wait has ended, nothing is searched for it any more", async () => {
  const leaving = new AbortController();
  let looks = 0;
  const matches = () => {
    if (++looks === 2) leaving.abort();
    return false;
  };
  const watched = {
    isOver: () => false,
    text: () => Promise.resolve("x".repeat(1 << 20)),
    subscribe: () => () => {},
  };
  const wait = waitUntil(watched, {}, matches, 60_000, leaving.signal);
  expect(await wait).toBe("cancelled");
  // As many turns as the search takes.
  for (let turn = 0; turn < 100; turn++) await setImmediate();
  expect(looks).toBe(2);
});

test("S41 others have their turn between the pieces of a search", async () => {
  const leaving = new AbortController();
  let looks = 0;
  const matches = () => {
    looks++;
    return false;
  };
  const watched = {
    isOver: () => false,
    text: () => Promise.resolve("x".repeat(1 << 20)),
    subscribe: () => () => {},
  };
  const wait = waitUntil(watched, {}, matches, 60_000, leaving.signal);
  for (let turn = 0; turn < 10; turn++) {
    const before = looks;
    await setImmediate();
    expect(looks - before).toBeLessThanOrEqual(1);
  }
  expect(looks).toBeGreaterThan(5);
  leaving.abort();
  expect(await wait).toBe("cancelled");
});

test("S10 S42 S44 the same request key gives the same outcome, also at once; a failure is not kept", async () => {
  let now = 0;
  let runs = 0;
  const keys = new RequestKeys<{ ok: boolean; run: number }>(() => now);
  const act = (ok: boolean) => async () => {
    runs++;
    const run = runs;
    await Promise.resolve();
    return { ok, run };
  };
  const both = await Promise.all([keys.once("k", "x", act(true)), keys.once("k", "x", act(true))]);
  expect(both).toEqual([
    { ok: true, run: 1 },
    { ok: true, run: 1 },
  ]);
  expect(await keys.once("k", "y", act(true))).toBe("differs");
  expect(await keys.once("other", "x", act(false))).toMatchObject({ run: 2 });
  expect(await keys.once("other", "x", act(true))).toMatchObject({ run: 3 });
  now = 10 * 60_000;
  expect(await keys.once("k", "x", act(true))).toMatchObject({ run: 4 });
});

/** Settles when the test says so, and counts its starts. */
function acting() {
  const settle: { resolve(ok: boolean): void; reject(error: Error): void }[] = [];
  let runs = 0;
  const act = () =>
    new Promise<{ ok: boolean; run: number }>((resolve, reject) => {
      const run = ++runs;
      settle.push({ resolve: (ok) => resolve({ ok, run }), reject });
    });
  return { act, settle, runs: () => runs };
}

test("S43 two retries at once of a key whose terminal has ended start one", async () => {
  const { act, settle, runs } = acting();
  const keys = new RequestKeys<{ ok: boolean; run: number }>();
  const ended = new Set<number>();
  const once = () => keys.once("k", "x", act, ({ run }) => !ended.has(run));
  const first = once();
  settle[0]?.resolve(true);
  expect(await first).toMatchObject({ run: 1 });
  ended.add(1);
  const retries = [once(), once(), once()];
  await setImmediate();
  expect(runs()).toBe(2);
  settle[1]?.resolve(true);
  for (const retry of retries) expect(await retry).toMatchObject({ run: 2 });
});

test("S44 an attempt that broke off is told to all who waited, and not kept", async () => {
  const { act, settle, runs } = acting();
  const keys = new RequestKeys<{ ok: boolean; run: number }>();
  const once = () => keys.once("k", "x", act, () => true);
  const both = [once(), once()];
  settle[0]?.reject(new Error("the disk is full"));
  for (const one of both) await expect(one).rejects.toThrow("the disk is full");
  const next = once();
  settle[1]?.resolve(true);
  expect(await next).toMatchObject({ run: 2 });
  expect(runs()).toBe(2);
});

test("S40 a list that is too long for a result keeps the newest", () => {
  const terminal = (index: number) => ({
    id: `pty-${String(index).padStart(6, "0")}`,
    cwd: "/a/folder",
    owner: "user" as const,
    visible: true,
    createdAt: index,
    command: ["x".repeat(1_000)],
  });
  const all = Array.from({ length: 100 }, (_, index) => terminal(index));
  const kept = truncateList(all, 30_000);
  expect(JSON.stringify(kept.map(toTerminalMetadata)).length).toBeLessThanOrEqual(30_000);
  expect(kept.at(-1)).toBe(all.at(-1));
  expect(kept.length).toBeGreaterThan(20);
  expect(truncateList(all.slice(0, 3), 30_000)).toEqual(all.slice(0, 3));
});

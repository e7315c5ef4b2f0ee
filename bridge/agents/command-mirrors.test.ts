// The mirror of an agent's commands, over a pool that the test plays.

import { setImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createGrant } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import { canSee } from "../callers/permissions.ts";
import { Commands } from "../commands/commands.ts";
import type { CommandRun } from "../commands/command-run.ts";
import { Emitter } from "../emitter.ts";
import { createLog } from "../log.ts";
import { planSpawn } from "../terminals/spawn-plan.ts";
import { describeTerminal, toMeta } from "../terminals/terminal.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { MirrorPool } from "./command-mirrors.ts";
import { CommandMirrorText, SHOWN_BYTES, CommandMirrors } from "./command-mirrors.ts";

const ADA = { grant: "aaaaaaaaaa", label: "ada" };
const log = createLog("silent", () => {});

function world() {
  const terminals: PoolTerminal[] = [];
  const shown = new Map<string, string>();
  const watchers: (() => void)[] = [];
  const closed: string[] = [];
  const defaults = { folder: "/", shell: "/bin/sh", environment: {} };
  const pool: MirrorPool = {
    plan: (request) => planSpawn(request, defaults),
    start: (plan) => {
      const terminal = poolTerminal({ id: `pty-00000${terminals.length}`, meta: toMeta(plan, 0) });
      terminals.push(terminal);
      return Promise.resolve({ ok: true, terminal: describeTerminal(terminal) });
    },
    get: (id) => terminals.find((one) => one.id === id),
    running: () => terminals.filter(({ life }) => life.state === "running"),
    input: ({ id }, bytes) => void shown.set(id, (shown.get(id) ?? "") + String(bytes)),
    watch: (_terminal, listener) => {
      watchers.push(listener);
      return () => void watchers.splice(watchers.indexOf(listener), 1);
    },
    close: ({ id }) => {
      closed.push(id);
      return Promise.resolve();
    },
  };
  const commands = new Commands({ instance: () => "feed".padEnd(32, "0"), log });
  const run = async (line: string) => {
    const env = { PATH: process.env["PATH"] ?? "" };
    const started = await commands.start({
      argv: ["/bin/sh", "-c", line],
      cwd: "/",
      env,
      input: undefined,
    });
    if (!started.ok) throw new Error(started.error);
    return started.value;
  };
  /** Lets every terminal so far print its first byte. */
  const print = async () => {
    for (const terminal of terminals) terminal.end ||= 1;
    for (const watcher of watchers.splice(0)) watcher();
    await setImmediate();
  };
  return { pool, terminals, shown, watchers, closed, run, commands, print };
}

/** Removes colours and times. */
const plainly = (text = "") =>
  text
    .replaceAll(/\p{Cc}\[\d+m/gu, "")
    .replaceAll(/\d\.\d s/g, "T")
    .replaceAll("\r\n", "\n");

test("Y24 Y98 an agent's commands are shown in one terminal, which is not the agent's", async () => {
  const { pool, terminals, shown, run, commands, print } = world();
  const feeds = new CommandMirrors(pool, log);
  const first = await run("echo out; sleep 0.05; echo err >&2; exit 3");
  feeds.show(ADA, "echo out; …", first);
  await first.finished;
  // Nothing is written before the terminal stops echoing.
  expect(shown.size).toBe(0);
  await print();
  const second = await run("printf half");
  feeds.show(ADA, "printf half", second);
  await second.finished;
  expect(terminals).toHaveLength(1);
  expect(plainly(shown.get("pty-000000"))).toBe(
    "$ echo out; …\nout\nerr\n[exit 3, T]\n$ printf half\nhalf\n[exit 0, T]\n",
  );
  expect(shown.get("pty-000000")).toContain("\u001B[31merr\r\n\u001B[0m");
  const [terminal] = terminals;
  expect(terminal?.meta).toMatchObject({ feed: true, lane: "command", lifetime: "background" });
  const see = (role: "agent" | "view") => canSee(createGrant("x", { role }), terminal?.meta ?? {});
  expect([see("agent"), see("view")]).toEqual([false, true]);
  commands.dispose();
});

test("Y24 the next bridge finds it, one that was closed is made anew, and it ends with its agent", async () => {
  const { pool, terminals, closed, run, shown, commands, print } = world();
  /** Waits for the end, since a later one would write into a closed terminal. */
  const ended = async () => {
    const command = await run("true");
    await vi.waitUntil(() => command.life.state === "ended");
    return command;
  };
  new CommandMirrors(pool, log).show(ADA, "true", await ended());
  await setImmediate();
  await print();
  const feeds = new CommandMirrors(pool, log);
  feeds.show(ADA, "true", await ended());
  expect(terminals).toHaveLength(1);
  expect(shown.get("pty-000000")).toContain("$ true");
  const exit = { exitCode: 0, signal: null };
  const [old] = terminals;
  if (old !== undefined) old.life = { state: "finished", exit, end: 0, at: 0 };
  feeds.show(ADA, "true", await ended());
  await setImmediate();
  expect(terminals).toHaveLength(2);
  await print();
  feeds.endForGrant(ADA.grant);
  expect(closed).toEqual(["pty-000001"]);
  commands.dispose();
});

test("Y24 one that was ready before anyone watched it is written to at once", async () => {
  const { pool, terminals, shown, run, commands } = world();
  const { start } = pool;
  const quick = (plan: Parameters<typeof start>[0]) => {
    const started = start(plan);
    for (const terminal of terminals) terminal.end = 10;
    return started;
  };
  new CommandMirrors({ ...pool, start: quick }, log).show(ADA, "true", await run("true"));
  await setImmediate();
  expect(shown.get("pty-000000")).toContain("$ true");
  commands.dispose();
});

test("Y97 what is shown is plain text in whole characters, and bounded", () => {
  const text = new CommandMirrorText();
  const bytes = Buffer.from("\u001B[2J\u001B]52;c;x\u0007漢\n");
  expect(text.output("stdout", bytes.subarray(0, 15))).toBe("");
  expect(text.output("stdout", bytes.subarray(15))).toBe("漢\r\n");
  text.output("stdout", Buffer.alloc(2 * SHOWN_BYTES, "x"));
  expect(text.output("stderr", Buffer.from("more"))).toBe("");
  const left = SHOWN_BYTES + bytes.length + 4;
  expect(plainly(text.end({ exitCode: null, signal: "SIGKILL" }, 1_200))).toBe(
    `\n[${left} more bytes are not shown; SIGKILL, T]\n`,
  );
});

test("Y24 two commands at once say which of them prints", async () => {
  const { pool, shown, run, commands, print } = world();
  const feeds = new CommandMirrors(pool, log);
  const one = await run("sleep 60");
  feeds.show(ADA, "one", one);
  await setImmediate();
  await print();
  const two = await run("sleep 60");
  feeds.show(ADA, "two", two);
  one.signal("SIGKILL");
  await one.finished;
  expect(plainly(shown.get("pty-000000"))).toBe("$ one\n$ two\n\n[one]\n[SIGKILL, T]\n");
  commands.dispose();
});

test("S23 S47 a command is refused when its feed cannot be made, ends at once or stays silent; several wait for one", async () => {
  const { pool, terminals, watchers, print } = world();
  const why = async (feeds: CommandMirrors) => {
    const seen = await feeds.prepare(ADA);
    return seen.ok ? undefined : seen.error;
  };
  const full = { ok: false, code: "too_many", error: "There are 200 terminals already" } as const;
  const failing = (start: MirrorPool["start"]) => new CommandMirrors({ ...pool, start }, log);
  expect(await why(failing(() => Promise.resolve(full)))).toMatch(/not started.*200 terminals/);
  expect(await why(failing(() => Promise.reject(new Error("the host is gone"))))).toMatch(/gone/);

  const ended = why(new CommandMirrors(pool, log));
  await setImmediate();
  const exit = { exitCode: 1, signal: null };
  for (const one of terminals) one.life = { state: "finished", exit, end: 0, at: 0 };
  for (const watcher of watchers.splice(0)) watcher();
  expect(await ended).toContain("it exited immediately");

  const feeds = new CommandMirrors(pool, log);
  const several = Promise.all([why(feeds), why(feeds), why(feeds)]);
  await setImmediate();
  await print();
  expect(await several).toEqual([undefined, undefined, undefined]);
  expect(await why(feeds)).toBeUndefined();
  expect(terminals).toHaveLength(2);
  expect(watchers).toEqual([]);
});

test("S48 a feed that is lost while a command runs is made again, with what it missed, and says what it could not keep", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { pool, shown, print } = world();
  let starts = 0;
  let isFull = true;
  const start: MirrorPool["start"] = (plan) => {
    starts += 1;
    if (!isFull) return pool.start(plan);
    return Promise.resolve({ ok: false, code: "too_many", error: "full" });
  };
  const feeds = new CommandMirrors({ ...pool, start }, log);
  const news = new Emitter<[name: "stdout" | undefined, bytes: Uint8Array]>();
  const life = { state: "running" };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a feed needs of a run
  const run = {
    life,
    onOutput: (each: never) => news.add(each),
    startedAt: 0,
  } as unknown as CommandRun;
  feeds.show(ADA, "make", run);
  await setImmediate();
  for (let piece = 0; piece < 50; piece++) news.fire("stdout", Buffer.from("a line\n"));
  await setImmediate();
  expect(starts).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(starts).toBe(2);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(starts).toBe(2);
  isFull = false;
  await vi.advanceTimersByTimeAsync(1);
  await print();
  expect(plainly(shown.get("pty-000000"))).toBe(`$ make\n${"a line\n".repeat(50)}`);
  feeds.dispose();
  vi.useRealTimers();
});

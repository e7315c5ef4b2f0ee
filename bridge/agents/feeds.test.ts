// What people see of an agent's commands, over a pool that a test plays.

import { expect, test } from "vitest";
import { grantOf } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import { maySee } from "../callers/sight.ts";
import { Commands } from "../commands/commands.ts";
import { createLog } from "../log.ts";
import { planSpawn } from "../terminals/plan.ts";
import { describe, metaOf } from "../terminals/terminal.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { FeedText, SHOWN_BYTES } from "./feed-text.ts";
import type { FeedPool } from "./feeds.ts";
import { Feeds } from "./feeds.ts";

const ADA = { grant: "aaaaaaaaaa", label: "ada" };
const log = createLog("silent", () => {});

function world() {
  const terminals: PoolTerminal[] = [];
  const shown = new Map<string, string>();
  const watchers: (() => void)[] = [];
  const closed: string[] = [];
  const defaults = { folder: "/", shell: "/bin/sh", environment: {} };
  const pool: FeedPool = {
    plan: (wish) => planSpawn(wish, defaults),
    start: (plan) => {
      const terminal = poolTerminal({ id: `pty-00000${terminals.length}`, meta: metaOf(plan, 0) });
      terminals.push(terminal);
      return Promise.resolve({ ok: true, terminal: describe(terminal) });
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
  return { pool, terminals, shown, watchers, closed, run, commands };
}

/** Without what colours and times it. */
const plainly = (text = "") =>
  text
    .replaceAll(/\p{Cc}\[\d+m/gu, "")
    .replaceAll(/\d\.\d s/g, "T")
    .replaceAll("\r\n", "\n");

test("Y24 an agent's commands are shown in one terminal, which is not the agent's", async () => {
  const { pool, terminals, shown, watchers, run, commands } = world();
  const feeds = new Feeds(pool, log);
  const first = await run("echo out; sleep 0.05; echo err >&2; exit 3");
  feeds.show(ADA, "echo out; …", first);
  await first.finished;
  // Nothing is written before its terminal stops echoing.
  expect(shown.size).toBe(0);
  for (const told of watchers.splice(0)) told();
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
  const see = (role: "agent" | "view") => maySee(grantOf("x", { role }), terminal?.meta ?? {});
  expect([see("agent"), see("view")]).toEqual([false, true]);
  commands.dispose();
});

test("Y24 the next bridge finds it, one that was closed is made anew, and it ends with its agent", async () => {
  const { pool, terminals, closed, watchers, run, shown, commands } = world();
  new Feeds(pool, log).show(ADA, "true", await run("true"));
  for (const told of watchers.splice(0)) told();
  await Promise.resolve();
  const feeds = new Feeds(pool, log);
  feeds.show(ADA, "true", await run("true"));
  expect(terminals).toHaveLength(1);
  expect(shown.get("pty-000000")).toContain("$ true");
  const exit = { exitCode: 0, signal: null };
  const [old] = terminals;
  if (old !== undefined) old.life = { state: "finished", exit, end: 0, at: 0 };
  feeds.show(ADA, "true", await run("true"));
  await Promise.resolve();
  expect(terminals).toHaveLength(2);
  for (const told of watchers.splice(0)) told();
  feeds.endOf(ADA.grant);
  expect(closed).toEqual(["pty-000001"]);
  commands.dispose();
});

test("Y24 one that was ready before anybody watched it is written to at once", async () => {
  const { pool, terminals, shown, run, commands } = world();
  const { start } = pool;
  const quick = (plan: Parameters<typeof start>[0]) => {
    const started = start(plan);
    for (const terminal of terminals) terminal.end = 10;
    return started;
  };
  new Feeds({ ...pool, start: quick }, log).show(ADA, "true", await run("true"));
  await Promise.resolve();
  expect(shown.get("pty-000000")).toContain("$ true");
  commands.dispose();
});

test("Y24 what is shown is plain text in whole characters, and bounded", () => {
  const text = new FeedText();
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
  const { pool, shown, watchers, run, commands } = world();
  const feeds = new Feeds(pool, log);
  const one = await run("read x");
  feeds.show(ADA, "one", one);
  await Promise.resolve();
  for (const told of watchers.splice(0)) told();
  const two = await run("sleep 60");
  feeds.show(ADA, "two", two);
  await one.finished;
  expect(plainly(shown.get("pty-000000"))).toBe("$ one\n$ two\n\n[one]\n[exit 1, T]\n");
  commands.dispose();
});

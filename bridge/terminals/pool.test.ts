// The pool with a pty host that sends what a test wants.

import { expect, test } from "vitest";
import type { Retain } from "../../protocol/host.ts";
import { createLog } from "../log.ts";
import type { RetainedBytes } from "./host-client.ts";
import type { HostEvents, HostTerminal } from "./host-reports.ts";
import { HostRequests } from "./host-requests.ts";
import type { Host } from "./live-terminals.ts";
import { MAX_TERMINALS, TerminalPool } from "./pool.ts";
import { listCountedHostTerminals } from "./terminal.ts";
import { Unavailable } from "./unavailable.ts";

type Spec = Parameters<Host["spawn"]>[0];

class FakeHost implements Host {
  readonly #requests = new HostRequests(1);
  readonly found: HostTerminal[] = [];
  readonly signals: string[] = [];
  readonly asked: { request: number; spec: Spec }[] = [];
  readonly welcome: Host["welcome"] = {
    version: 1,
    instance: "0123456789abcdef0123456789abcdef",
    pid: 1,
    state: null,
  };
  events: HostEvents | undefined;

  listen(events: HostEvents): void {
    this.events = events;
  }

  spawn<T>(
    spec: Spec,
    accept: (terminal: HostTerminal) => T,
    late: (terminal: HostTerminal) => void,
  ): Promise<T> {
    return this.#requests.spawn(accept, late, (request) => this.asked.push({ request, spec }));
  }

  /** Confirms the oldest pending spawn. */
  made(handle = 7): void {
    const { request, spec } = this.asked.shift() ?? expect.unreachable("nothing was asked for");
    const { id, cols, rows, meta } = spec;
    const state = { id, epoch: 1, pid: 1, cols, rows, meta, first: 0, end: 0, exit: null };
    this.#requests.onSpawned(request, { ...state, handle });
  }

  signal(handle: number, name: string): void {
    this.signals.push(name);
    this.events?.onExited(handle, { exitCode: null, signal: name }, 0);
  }

  fetch<T>(
    _: number,
    from: number,
    __: number,
    accept: (retained: RetainedBytes) => T,
  ): Promise<T> {
    return Promise.resolve(accept({ offset: from, bytes: Buffer.alloc(0) }));
  }

  screen(): undefined {}
  setCheckpoint(): void {}
  answer(): void {}
  input(): void {}
  resize(): void {}
  read(): void {}
  credit(): void {}
  unread(): void {}
  setMeta(): void {}
  readonly forgotten: number[] = [];
  forget(handle: number): void {
    this.forgotten.push(handle);
  }
  setState(): void {}
  shutdown(): void {}
  nudge(): Promise<void> {
    return Promise.resolve();
  }
  close(): void {}
}

function world() {
  const lines: string[] = [];
  const log = createLog("error", (line) => lines.push(line));
  const environment = { PATH: "/usr/bin:/bin" };
  const pool = new TerminalPool({ folder: "/", shell: "/bin/sh", environment, log });
  const host = new FakeHost();
  pool.adopt(host);
  const fired: string[] = [];
  pool.onEvent(({ event }) => fired.push(event));
  return { pool, host, fired, lines };
}

function start(pool: TerminalPool) {
  const planned = pool.plan({ lane: "user", lifetime: "user" });
  return planned.ok ? pool.start(planned.plan) : expect.unreachable(planned.error);
}

async function opened({ pool, host }: ReturnType<typeof world>) {
  const spawned = start(pool);
  host.made();
  const result = await spawned;
  const terminal = result.ok ? pool.get(result.terminal.id) : undefined;
  return terminal ?? expect.unreachable("no terminal");
}

test("T10 a terminal that the host makes after its caller was refused is ended, and listed until then", async () => {
  const { pool, host, fired } = world();
  expect(await start(pool)).toMatchObject({
    ok: false,
    error: "the pty host did not answer",
  });
  expect(pool.list()).toEqual([]);
  const ended = new Promise<void>((resolve) => {
    pool.onEvent(({ event }) => (event === "closed" ? resolve() : undefined));
  });
  host.made();
  await ended;
  expect(fired).toEqual(["created", "closed"]);
  expect(host.signals).toContain("SIGHUP");
  expect(pool.running()).toEqual([]);
});

test("T12 terminals are counted from the moment they are asked for: as many at once are no way round", async () => {
  const { pool, host } = world();
  const asked = Array.from({ length: MAX_TERMINALS + 2 }, () => start(pool));
  expect(host.asked).toHaveLength(MAX_TERMINALS);
  for (let handle = 1; handle <= MAX_TERMINALS; handle++) host.made(handle);
  const results = await Promise.all(asked);
  expect(results.filter(({ ok }) => ok)).toHaveLength(MAX_TERMINALS);
  expect(results.slice(-2).map((one) => !one.ok && one.code)).toEqual(["too_many", "too_many"]);
  // A terminal that ends makes room.
  host.signal(1, "SIGKILL");
  void start(pool);
  expect(host.asked).toHaveLength(1);
});

test("T9 watching by the pool leaves no one once it is stopped, or the terminal has ended", async () => {
  const here = world();
  const terminal = await opened(here);
  const { pool, host } = here;
  let fired = 0;
  const stops = Array.from({ length: 1_000 }, () => pool.watch(terminal, () => fired++));
  host.events?.onActivity(terminal.handle, 5);
  expect([fired, pool.watcherCount]).toEqual([1_000, 1_000]);
  for (const stop of stops) stop();
  expect(pool.watcherCount).toBe(0);
  pool.watch(terminal, () => fired++);
  host.events?.onExited(terminal.handle, { exitCode: 0, signal: null }, 5);
  expect([fired, pool.watcherCount]).toEqual([1_001, 0]);
});

test("T11 a listener that throws costs the others nothing, and is written down", async () => {
  const here = world();
  const { pool, fired, lines } = here;
  const fails = () => {
    throw new Error("a bug of the listener");
  };
  pool.onEvent(fails);
  pool.onActivity(fails);
  pool.onHostGone(fails);
  const after: string[] = [];
  pool.onEvent(({ event }) => after.push(event));
  pool.onActivity(({ id }) => after.push(id));
  const terminal = await opened(here);
  here.host.events?.onActivity(terminal.handle, 1);
  expect(fired).toEqual(["created"]);
  expect(after.splice(0)).toEqual(["created", terminal.id]);
  expect(lines.filter((line) => line.includes("a bug of the listener"))).toHaveLength(2);
  pool.onHostGone((ended) => after.push(`${ended} ended`));
  here.host.events?.onClosed("killed");
  expect(after).toEqual(["closed", "1 ended"]);
});

test("T6 a finished terminal keeps its size, and no one is told of another", async () => {
  const here = world();
  const { pool, host } = here;
  const terminal = await opened(here);
  const sizes: string[] = [];
  pool.onSize(({ cols, rows }) => sizes.push(`${cols}x${rows}`));
  pool.resize(terminal, 100, 30);
  host.events?.onExited(terminal.handle, { exitCode: 0, signal: null }, 5);
  pool.resize(terminal, 20, 5);
  expect([sizes, terminal.cols, terminal.rows]).toEqual([["100x30"], 100, 30]);
});

test("T11 what throws where an answer is taken is told to whoever asked", async () => {
  const requests = new HostRequests();
  const asked: number[] = [];
  const spawned = requests.spawn(
    () => {
      throw new TypeError("a bug of the pool");
    },
    () => expect.unreachable("it was in time"),
    (request) => asked.push(request),
  );
  const state = { id: "a", epoch: 1, pid: 1, cols: 80, rows: 24, meta: {}, first: 0, end: 0 };
  requests.onSpawned(asked[0] ?? 0, { ...state, exit: null, handle: 1 });
  await expect(spawned).rejects.toThrow("a bug of the pool");
  const { pool } = world();
  pool.adopt(
    new (class extends FakeHost {
      override spawn = () => Promise.reject(new TypeError("a bug of the pool"));
    })(),
  );
  await expect(start(pool)).rejects.toThrow("a bug of the pool");
});

test("T17 what the host refuses is no bug", async () => {
  const requests = new HostRequests();
  const failing = requests.fetch(
    0,
    () => expect.unreachable("there is nothing"),
    (request) => requests.onFailed({ request, error: "no such terminal" }),
  );
  await expect(failing).rejects.toBeInstanceOf(Unavailable);
});

test("J5 a finished terminal that is to stay is there until it is forgotten; any other is crowded out", async () => {
  const { pool, host } = world();
  const run = async (retain?: Retain) => {
    const planned = pool.plan({ lane: "user", lifetime: "user", retain });
    const spawned = planned.ok ? pool.start(planned.plan) : expect.unreachable(planned.error);
    host.made(++handle);
    const result = await spawned;
    const terminal = result.ok ? pool.get(result.terminal.id) : undefined;
    host.signal(handle, "SIGTERM");
    return terminal ?? expect.unreachable("no terminal");
  };
  let handle = 100;
  const kept = await run({ bytes: 10, untilForgotten: true });
  const other = await run();
  for (let i = 0; i < 25; i++) await run();
  expect(pool.get(other.id)).toBeUndefined();
  expect(pool.get(kept.id)).toBe(kept);
  pool.forget(kept);
  expect(pool.get(kept.id)).toBeUndefined();
  expect(host.forgotten).toEqual([kept.handle]);
});

test("U15 a terminal whose meta cannot be read is there, and private", () => {
  const { pool } = world();
  const state = { id: "pty-x", epoch: 1, pid: 1, cols: 80, rows: 24, first: 0, end: 0, exit: null };
  const found = [{ ...state, handle: 9, meta: { cwd: 7, secret: true } }];
  pool.adopt(
    new (class extends FakeHost {
      override readonly found: HostTerminal[] = found;
    })(),
  );
  expect(pool.get("pty-x")?.meta).toMatchObject({ owner: "user", private: true });
});

test("Y99 every input counts, a terminal's own answers too; what an earlier bridge typed is not known", async () => {
  const here = world();
  const { pool } = here;
  const terminal = await opened(here);
  expect(terminal.inputs).toBe(0);
  pool.input(terminal, Buffer.from("x"));
  pool.answer(terminal, 3, Buffer.from("\u001B[1;1R"));
  pool.answer(terminal, 4, Buffer.alloc(0));
  pool.resize(terminal, 100, 30);
  expect(terminal.inputs).toBe(2);
  const state = { id: "pty-x", epoch: 1, pid: 1, cols: 80, rows: 24, first: 0, end: 0, exit: null };
  const host = new FakeHost();
  host.found.push({ ...state, handle: 9, meta: {} });
  pool.adopt(host);
  expect(pool.get("pty-x")?.inputs).toBeGreaterThan(0);
});

test("TU49 one count of terminals, of a pool, of what waits in a host and of what ended with one", () => {
  const host = new FakeHost();
  const state = { epoch: 1, pid: 1, cols: 80, rows: 24, first: 0, end: 0 };
  const meta = { cwd: "/", owner: "user", visible: true, createdAt: 1 };
  const exit = { exitCode: 0, signal: null };
  host.found.push(
    { ...state, handle: 1, id: "pty-000001", meta, exit: null },
    { ...state, handle: 2, id: "pty-000002", meta: { ...meta, feed: true }, exit: null },
    { ...state, handle: 3, id: "pty-000003", meta, exit },
  );
  expect(listCountedHostTerminals(host.found).map(({ id }) => id)).toEqual(["pty-000001"]);
  const { pool } = world();
  pool.adopt(host);
  expect([pool.running().length, pool.count]).toEqual([2, 1]);
  const ended: number[] = [];
  pool.onHostGone((count) => ended.push(count));
  host.events?.onClosed("killed");
  expect(ended).toEqual([1]);
});

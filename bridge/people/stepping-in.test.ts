// Who has stepped in to an agent's terminal, over a fake pool and fake people.

import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { TestCaller } from "../../test/support/caller.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { OneTerminal } from "../../test/support/modelled-room.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import type { RetainedBytes } from "../terminals/host-client.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { describeTerminal } from "../terminals/terminal.ts";
import { PeopleTerminals } from "./people-terminals.ts";
import { RETURN_TIMEOUT_MS, SteppingIn } from "./stepping-in.ts";

class Printing extends OneTerminal {
  readonly typed: string[] = [];

  override running(): PoolTerminal[] {
    return this.terminal.life.state === "running" ? [this.terminal] : [];
  }

  override fetch<T>(
    terminal: PoolTerminal,
    _from: number,
    _most: number,
    accept: (retained: RetainedBytes) => T,
  ): Promise<T> {
    return Promise.resolve(accept({ offset: terminal.end, bytes: Buffer.alloc(0) }));
  }

  override input(_terminal: PoolTerminal, bytes: Uint8Array): void {
    this.typed.push(Buffer.from(bytes).toString());
  }
}

let pool: Printing;
let terminal: PoolTerminal;
let ada: TestCaller;
let bob: TestCaller;
let seats: Map<TestCaller, number>;
let written: unknown[];
let front: string;
beforeEach(() => {
  terminal = poolTerminal({ end: 10 });
  const startedBy = { grant: "agent00000", label: "claude" };
  terminal.meta = { ...terminal.meta, owner: "agent", visible: false, startedBy };
  pool = new Printing(terminal);
  ada = callerWith(createGrant("ada0000000", { role: "edit", label: "Ada" }), "people");
  bob = callerWith(createGrant("bob0000000", { role: "edit", label: "Bob" }), "people");
  seats = new Map([
    [ada, 1],
    [bob, 2],
  ]);
  written = [];
  front = "/usr/bin/bash";
});

function stepping() {
  const made = new SteppingIn({
    pool,
    viewers: {
      findByCaller: (caller) => {
        const number = [...seats].find(([seat]) => seat === caller)?.[1];
        return number === undefined ? undefined : { number };
      },
    },
    audit: { write: (entry) => void written.push(entry) },
    log: { error: (line) => void written.push(line) },
    findForeground: () => ({
      group: 1,
      front: [{ pid: 1, path: front, argv: ["x", "-y"], isWaiting: false }],
      behind: [],
      cwd: undefined,
    }),
    sendForeground: (caller, foreground) => caller.send(JSON.stringify(foreground)),
    quietMs: 1,
  });
  onTestFinished(() => made.dispose());
  const people = new PeopleTerminals(pool, {
    hasSteppedIn: (caller, one) => made.hasSteppedIn(caller, one),
  });
  return { made, people };
}

const keys = Buffer.from("hunter2\r");

test("I60 I61 I93 only who has stepped in types into an agent's terminal; a view link cannot step in, nor two at once", async () => {
  const { made, people } = stepping();
  const vic = callerWith(createGrant("vic0000000", { role: "view" }), "people");
  seats.set(vic, 3);
  expect(people.type(ada, terminal.id, keys)?.error).toMatch(/user terminals only; step in first/);
  expect(await made.stepIn(vic, terminal)).toMatchObject({ code: "forbidden" });
  expect(await made.stepIn(ada, terminal)).toBeUndefined();
  expect(terminal.meta.steppedIn).toEqual({
    since: 10,
    grant: ada.grantId,
    label: "Ada",
    peer: 1,
  });
  expect(describeTerminal(terminal).steppedIn).toEqual({ label: "Ada", peer: 1 });
  people.type(ada, terminal.id, keys);
  expect(people.type(bob, terminal.id, keys)?.error).toContain("Ada has stepped in");
  expect(pool.typed).toEqual(["hunter2\r"]);
  expect(await made.stepIn(bob, terminal)).toMatchObject({ error: expect.stringContaining("Ada") });
  expect(await made.handBack(bob, terminal, false)).toMatchObject({ code: "forbidden" });
  expect(terminal.meta.steppedIn).toBeDefined();
});

test("I94 into a user's terminal, one that shows commands or one that ended no one steps in", async () => {
  const { made } = stepping();
  const { meta } = terminal;
  terminal.meta = { ...meta, owner: "user" };
  expect(await made.stepIn(ada, terminal)).toMatchObject({ code: "forbidden" });
  terminal.meta = { ...meta, feed: true };
  expect(await made.stepIn(ada, terminal)).toMatchObject({ code: "forbidden" });
  terminal.meta = meta;
  terminal.life = { state: "finished", exit: { exitCode: 0, signal: null }, end: 0, at: 0 };
  expect(await made.stepIn(ada, terminal)).toMatchObject({ error: "Session has ended" });
});

test("I61 I64 I97 handed back with hide the range is kept, without it none is, and the keys go nowhere any more", async () => {
  const { made, people } = stepping();
  await made.stepIn(ada, terminal);
  terminal.end = 19;
  await made.handBack(ada, terminal, true);
  expect(terminal.meta).toMatchObject({ hidden: [{ from: 10, to: 19 }] });
  expect(terminal.meta.steppedIn).toBeUndefined();
  expect(people.type(ada, terminal.id, keys)?.error).toContain("step in first");
  await made.stepIn(ada, terminal);
  terminal.end = 30;
  await made.handBack(ada, terminal, false);
  expect(terminal.meta.hidden).toEqual([{ from: 10, to: 19 }]);
});

test("I96 what is hidden ends once the terminal is quiet: the echo of the last key is in it", async () => {
  const { made } = stepping();
  await made.stepIn(ada, terminal);
  const done = made.handBack(ada, terminal, true);
  terminal.end = 25;
  await done;
  expect(terminal.meta.hidden).toEqual([{ from: 10, to: 25 }]);
});

test("I66 60 s after the person is gone it is handed back, hidden; who is back before goes on", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { made } = stepping();
  await made.stepIn(ada, terminal);
  terminal.end = 19;
  made.onLeft(bob);
  made.onLeft(ada);
  await vi.advanceTimersByTimeAsync(RETURN_TIMEOUT_MS - 1);
  made.onJoined(ada);
  await vi.advanceTimersByTimeAsync(RETURN_TIMEOUT_MS);
  expect(made.hasSteppedIn(ada, terminal)).toBe(true);
  made.onLeft(ada);
  await vi.advanceTimersByTimeAsync(RETURN_TIMEOUT_MS + 100);
  expect(terminal.meta.steppedIn).toBeUndefined();
  expect(terminal.meta.hidden).toEqual([{ from: 10, to: 19 }]);
});

test("I100 the same link steps in again from another socket, from where it was; another link does not", async () => {
  const { made } = stepping();
  await made.stepIn(ada, terminal);
  terminal.end = 19;
  const again = callerWith(createGrant("ada0000000", { role: "edit", label: "Ada" }), "people");
  seats.set(again, 7);
  expect(await made.stepIn(again, terminal)).toMatchObject({ code: "forbidden" });
  made.onLeft(ada);
  expect(await made.stepIn(bob, terminal)).toMatchObject({ code: "forbidden" });
  expect(await made.stepIn(again, terminal)).toBeUndefined();
  expect(terminal.meta.steppedIn).toMatchObject({ since: 10, peer: 7 });
});

test("I99 the next bridge knows who has stepped in, and waits 60 s for them", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const steppedIn = { since: 4, grant: ada.grantId, label: "Ada", peer: 1 };
  terminal.meta = { ...terminal.meta, steppedIn };
  const { made } = stepping();
  expect(made.hasSteppedIn(ada, terminal)).toBe(false);
  made.onJoined(bob);
  made.onJoined(ada);
  expect(made.hasSteppedIn(ada, terminal)).toBe(true);
  made.dispose();
  stepping();
  await vi.advanceTimersByTimeAsync(RETURN_TIMEOUT_MS + 100);
  expect(terminal.meta).toMatchObject({ hidden: [{ from: 4, to: 10 }] });
});

test("I66 a terminal that ends is handed back by that, hidden", async () => {
  const { made } = stepping();
  await made.stepIn(ada, terminal);
  terminal.life = { state: "finished", exit: { exitCode: 0, signal: null }, end: 31, at: 0 };
  pool.events.fire({ type: "terminal", event: "closed", terminal: describeTerminal(terminal) });
  expect(terminal.meta.steppedIn).toBeUndefined();
  expect(terminal.meta.hidden).toEqual([{ from: 10, to: 31 }]);
  expect(made.hasSteppedIn(ada, terminal)).toBe(false);
});

test("I67 the person is told which program reads what they type, and again when it is another", async () => {
  const { made } = stepping();
  await made.stepIn(ada, terminal);
  pool.activity.fire(terminal);
  front = "";
  pool.activity.fire(terminal);
  expect(ada.messages.map((text): unknown => JSON.parse(text))).toEqual([
    { id: terminal.id, program: "/usr/bin/bash", command: ["x", "-y"], startedBy: "claude" },
    { id: terminal.id, program: null, command: ["x", "-y"], startedBy: "claude" },
  ]);
  expect(bob.messages).toEqual([]);
});

test("I68 the audit log says who stepped in and handed back, and whether it was hidden; never what was typed", async () => {
  const { made, people } = stepping();
  await made.stepIn(ada, terminal);
  people.type(ada, terminal.id, keys);
  terminal.end = 19;
  await made.handBack(ada, terminal, true);
  const by = { grant: ada.grantId, label: "Ada", terminal: terminal.id };
  expect(written).toEqual([
    { event: "stepped in", ...by },
    {
      event: "handed back",
      ...by,
      arguments: { hidden: true, bytes: 9 },
      outcome: "by the person",
    },
  ]);
  expect(JSON.stringify(written)).not.toContain("hunter2");
});

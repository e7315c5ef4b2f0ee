import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TerminalEvent } from "../../protocol/terminal.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import { Emitter } from "../emitter.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { describeTerminal } from "../terminals/terminal.ts";
import { TimeLimit } from "./terminal-timers.ts";

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

function world(...terminals: PoolTerminal[]) {
  const events = new Emitter<[TerminalEvent]>();
  const closed: string[] = [];
  const pool = {
    get: (id: string) => terminals.find((one) => one.id === id),
    running: () => terminals,
    close: (terminal: PoolTerminal) => {
      closed.push(terminal.id);
      return Promise.resolve();
    },
    onEvent: (listener: (event: TerminalEvent) => void) => events.add(listener),
  };
  const fireEvent = (event: "created" | "promoted" | "closed", terminal: PoolTerminal) =>
    events.fire({ type: "terminal", event, terminal: describeTerminal(terminal) });
  return { pool, closed, fireEvent };
}

const of = (id: string, owner: "agent" | "user", createdAt: number) =>
  poolTerminal({ id, meta: { cwd: "/", owner, visible: owner === "user", createdAt } });

test("I88 what an agent started ends when its time is up, also over a takeover; a person's does not", () => {
  const [old, young, users] = [
    of("pty-old000", "agent", 400_000),
    of("pty-young0", "agent", 1_000_000),
    of("pty-users0", "user", 0),
  ];
  const { pool, closed } = world(old, young, users);
  const clock = new TimeLimit(pool, 600_000, Date.now);
  vi.advanceTimersByTime(0);
  expect(closed).toEqual(["pty-old000"]);
  vi.advanceTimersByTime(599_999);
  expect(closed).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(closed).toEqual(["pty-old000", "pty-young0"]);
  clock.dispose();
  expect(vi.getTimerCount()).toBe(0);
});

test("I88 one that is promoted, or has ended, is left alone; a week is not too long for a timer", () => {
  const terminals = ["pty-aaaaaa", "pty-bbbbbb", "pty-cccccc"].map((id) =>
    of(id, "agent", 1_000_000),
  );
  const { pool, closed, fireEvent } = world(...terminals);
  const days = 30 * 86_400_000;
  const clock = new TimeLimit(pool, days, Date.now);
  const [first, second] = terminals;
  if (first !== undefined) fireEvent("promoted", first);
  if (second !== undefined) fireEvent("closed", second);
  vi.advanceTimersByTime(days - 1);
  expect(closed).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(closed).toEqual(["pty-cccccc"]);
  clock.dispose();
});

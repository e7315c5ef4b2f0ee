// The foreground program of a terminal: sent once it has settled, and to whom.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Running } from "../../protocol/pty.ts";
import { OneTerminal } from "../../test/support/modelled-room.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import type { FrontSummary } from "../processes/foreground.ts";
import { describeTerminal } from "../terminals/terminal.ts";
import { ForegroundPrograms } from "./foreground-programs.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function world() {
  const terminal = poolTerminal({ pid: 10 });
  const pool = new (class extends OneTerminal {
    override running() {
      return [terminal];
    }
  })(terminal);
  const reports: Running[] = [];
  const here = { is: true };
  const front: { now: FrontSummary | undefined } = { now: { pid: 10, name: "bash", cwd: "/a" } };
  const looks: number[] = [];
  const programs = new ForegroundPrograms({
    pool,
    findForeground: (leader) => {
      looks.push(leader);
      return front.now;
    },
    isAnyoneHere: () => here.is,
    send: (running) => void reports.push(running),
  });
  const active = () => {
    pool.activity.fire(terminal);
    vi.advanceTimersByTime(1_000);
    return reports.splice(0);
  };
  return { terminal, pool, programs, here, front, looks, active };
}

test("GR24 GR25 a program in front and its folder are told once they have settled, and once", () => {
  const { terminal, front, active, looks } = world();
  const { id } = terminal;
  expect(active()).toEqual([{ id, program: "", cwd: "/a" }]);
  expect(active()).toEqual([]);
  front.now = { pid: 11, name: "vim\u202E\n", cwd: "/a/b" };
  expect(active()).toEqual([{ id, program: "vim", cwd: "/a/b" }]);
  // Another user's process: its working directory is unknown.
  front.now = { pid: 12, name: "sudo", cwd: undefined };
  expect(active()).toEqual([{ id, program: "sudo", cwd: "/" }]);
  front.now = undefined;
  expect(active()).toEqual([]);
  expect(looks).toHaveLength(5);
});

test("GR26 GR25 much output is one look, and with no one there is none", () => {
  const { terminal, pool, looks, here, active, programs } = world();
  active();
  looks.length = 0;
  for (let count = 0; count < 50; count += 1) pool.activity.fire(terminal);
  vi.advanceTimersByTime(1_000);
  expect(looks).toHaveLength(1);
  here.is = false;
  expect(active()).toEqual([]);
  expect(looks).toHaveLength(1);
  // A newcomer gets all of them.
  expect(programs.list()).toEqual([{ id: terminal.id, program: "", cwd: "/a" }]);
  here.is = true;
  pool.activity.fire(terminal);
  pool.events.fire({ type: "terminal", event: "closed", terminal: describeTerminal(terminal) });
  vi.advanceTimersByTime(1_000);
  programs.dispose();
  expect([looks.length, vi.getTimerCount()]).toEqual([2, 0]);
});

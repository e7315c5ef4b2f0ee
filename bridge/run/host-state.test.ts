// The state that a bridge stores with the pty host, read by its successor.

import { expect, test } from "vitest";
import { createGrant } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import type { Meta } from "../terminals/terminal.ts";
import { isStartedByAgent } from "../terminals/terminal.ts";
import { readHostState, writeHostState } from "./host-state.ts";

const { session: _session, ...record } = createGrant("aaaaaaaaaa");

test("Q43 the next bridge knows that an agent has called, also in a new room", () => {
  let left = "";
  const host = { setState: (state: string) => void (left = state) };
  writeHostState(host, "one", { session: [record], hasAgentCalled: true, lastSession: 3 });
  expect(readHostState(left, "one")).toEqual({
    session: [record],
    hasAgentCalled: true,
    lastSession: 3,
  });
  expect(readHostState(left, "two")).toEqual({ session: [], hasAgentCalled: true, lastSession: 3 });
  writeHostState(host, "one", { session: [], hasAgentCalled: false, lastSession: 0 });
  expect(readHostState(left, "one").hasAgentCalled).toBe(false);
  const before = JSON.stringify({ version: 1, generation: "one", session: [record] });
  expect(readHostState(before, "one")).toEqual({
    session: [record],
    hasAgentCalled: false,
    lastSession: 0,
  });
  const older = JSON.stringify({ version: 1, generation: "one", session: [], agentRan: true });
  expect(readHostState(older, "one").hasAgentCalled).toBe(true);
  expect(readHostState(null, "one")).toEqual({
    session: [],
    hasAgentCalled: false,
    lastSession: 0,
  });
  expect(readHostState("{", "one")).toEqual({ session: [], hasAgentCalled: false, lastSession: 0 });
});

test("Q91 an agent's terminal counts, promoted or not, behind a wall or not; others do not", () => {
  const counts = (meta: Partial<Meta>) => isStartedByAgent({ ...poolTerminal().meta, ...meta });
  const startedBy = { grant: "aaaaaaaaaa", label: "" };
  expect(counts({ lane: "user" })).toBe(false);
  expect(counts({ lane: "background", isolation: "none" })).toBe(true);
  expect(counts({ lane: "session", isolation: "sandbox" })).toBe(true);
  expect(counts({ lane: "background", isolation: "none", owner: "user", startedBy })).toBe(true);
  expect(counts({ lane: "command", feed: true, startedBy })).toBe(true);
  // An older bridge wrote no lane.
  expect(counts({ startedBy })).toBe(true);
});

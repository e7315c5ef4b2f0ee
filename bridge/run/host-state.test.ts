// What a bridge leaves with the pty host, read by the next one.

import { expect, test } from "vitest";
import { grantOf } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import type { Meta } from "../terminals/terminal.ts";
import { isUnwalledAgent } from "../terminals/terminal.ts";
import { readHostState, writeHostState } from "./host-state.ts";

const { session: _session, ...record } = grantOf("aaaaaaaaaa");

test("Q43 the next bridge knows that an agent's code has run, also in a new room", () => {
  let left = "";
  const host = { setState: (state: string) => void (left = state) };
  writeHostState(host, "one", { session: [record], agentRan: true, lastSession: 3 });
  expect(readHostState(left, "one")).toEqual({ session: [record], agentRan: true, lastSession: 3 });
  expect(readHostState(left, "two")).toEqual({ session: [], agentRan: true, lastSession: 3 });
  writeHostState(host, "one", { session: [], agentRan: false, lastSession: 0 });
  expect(readHostState(left, "one").agentRan).toBe(false);
  const before = JSON.stringify({ version: 1, generation: "one", session: [record] });
  expect(readHostState(before, "one")).toEqual({
    session: [record],
    agentRan: false,
    lastSession: 0,
  });
  expect(readHostState(null, "one")).toEqual({ session: [], agentRan: false, lastSession: 0 });
  expect(readHostState("{", "one")).toEqual({ session: [], agentRan: false, lastSession: 0 });
});

test("Q43 an agent's terminal without a wall counts, promoted or not; others do not", () => {
  const counts = (meta: Partial<Meta>) => isUnwalledAgent({ ...poolTerminal().meta, ...meta });
  const startedBy = { grant: "aaaaaaaaaa", label: "" };
  expect(counts({ lane: "user" })).toBe(false);
  expect(counts({ lane: "background", isolation: "none" })).toBe(true);
  expect(counts({ lane: "session", isolation: "sandbox" })).toBe(false);
  expect(counts({ lane: "background", isolation: "none", owner: "user", startedBy })).toBe(true);
  // Of a bridge of before, which had no walls.
  expect(counts({ startedBy })).toBe(true);
});

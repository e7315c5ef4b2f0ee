// An agent's slice of state.

import { expect, test, vi } from "vitest";
import { TerminalState } from "./terminal-state.ts";

const INITIAL = {
  providerName: "local",
  bash: { cropOutput: 10_000, timeoutSeconds: 60 },
  persistent: { minInterval: 1, settleInterval: 2, maxInterval: 30 },
};

function stateWithSession(end = () => {}) {
  const session = { id: "term-1", command: "x", position: 9, running: true, startTime: 0 };
  let sessions = [session];
  return new TerminalState(INITIAL, {
    list: () => sessions,
    end: () => {
      sessions = [];
      end();
    },
  });
}

test("Y60 a chat reset ends the sessions and leaves the settings", () => {
  const end = vi.fn();
  const state = stateWithSession(end);
  state.providerName = "other";
  state.bash.timeoutSeconds = 5;
  state.reset(["chat"]);
  expect(end).toHaveBeenCalledOnce();
  expect(state.sessions).toEqual([]);
  expect(state.serialize()).toMatchObject({ providerName: "other", bash: { timeoutSeconds: 5 } });
});

test("Y60 a full reset does both, one of the settings ends no session, others do nothing", () => {
  const end = vi.fn();
  const state = stateWithSession(end);
  state.providerName = "other";
  state.reset(["memory", "costs"]);
  expect(state.providerName).toBe("other");
  state.reset(["settings"]);
  expect([state.providerName, state.sessions.length, end.mock.calls.length]).toEqual([
    "local",
    1,
    0,
  ]);
  state.bash.cropOutput = 1;
  state.reset(["all"]);
  expect([state.bash.cropOutput, state.sessions.length]).toEqual([10_000, 0]);
  expect(end).toHaveBeenCalledOnce();
});

test("Y59 settings survive being kept and brought back, and nothing is shared with the copy", () => {
  const state = new TerminalState(INITIAL);
  state.providerName = null;
  state.persistent.maxInterval = 5;
  const kept = state.serialize();
  kept.bash.cropOutput = 7;
  expect(state.bash.cropOutput).toBe(10_000);
  const other = new TerminalState(INITIAL);
  other.deserialize(JSON.parse(JSON.stringify(kept)));
  expect(other.serialize()).toEqual(kept);
  expect(INITIAL.persistent.maxInterval).toBe(30);
});

test("Y128 what was kept and no longer fits is an error that changes nothing", () => {
  const state = new TerminalState(INITIAL);
  for (const bad of [{}, { ...INITIAL, bash: { cropOutput: -1, timeoutSeconds: 60 } }, null]) {
    expect(() => state.deserialize(JSON.parse(JSON.stringify(bad)))).toThrow(/state/);
  }
  expect(state.serialize()).toEqual(INITIAL);
});

test("Y59 it is shown in lines", () => {
  expect(stateWithSession().show()).toEqual([
    "Provider: local",
    "Bash: 60 s, 10000 characters of output",
    "Sessions wait: at least 1 s, until quiet for 2 s, at most 30 s",
    "Sessions: term-1",
  ]);
});

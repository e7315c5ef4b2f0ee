// Who a local agent is, in modelled time.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LocalAgents } from "./local-agents.ts";
import { grantsForRoom } from "./telling-room.ts";
import { GrantTable, LOCAL_GRACE_MS } from "./table.ts";
import type { SessionRecord } from "./uses.ts";

let folder = "";
let now = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-local-"));
  now = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

function open(left: readonly SessionRecord[] = []) {
  const grants = new GrantTable(join(folder, "grants.json"), () => now);
  grants.adoptSession(left);
  let kept: SessionRecord[] = [];
  grants.onSessionChange((records) => {
    kept = records;
  });
  return { grants, agents: new LocalAgents(grants, () => now), kept: () => kept };
}

test("G12 one agent per name, however often it connects; another name is another agent", () => {
  const { agents, grants } = open();
  const first = agents.arrive("claude");
  const second = agents.arrive("claude");
  const other = agents.arrive("codex");
  expect(second.grantId).toBe(first.grantId);
  expect(other.grantId).not.toBe(first.grantId);
  expect(grants.lookUp(first.grantId)).toMatchObject({ label: "claude", role: "agent" });
  expect(agents.arrive(undefined).grantId).toBe(agents.arrive(" \u0007\n ").grantId);
});

test("G12 its grant lasts 10 minutes beyond its last connection, and a new one renews it", () => {
  const { agents, grants } = open();
  const first = agents.arrive("claude");
  const second = agents.arrive("claude");
  first.leave();
  first.leave();
  now += 2 * LOCAL_GRACE_MS;
  expect(grants.lookUp(first.grantId)).toBeDefined();
  second.leave();
  now += LOCAL_GRACE_MS - 1;
  const third = agents.arrive("claude");
  expect(third.grantId).toBe(first.grantId);
  third.leave();
  now += LOCAL_GRACE_MS;
  expect(grants.lookUp(first.grantId)).toBeUndefined();
  expect(agents.arrive("claude").grantId).not.toBe(first.grantId);
});

test("G12 after a crash an agent that comes back in time is the same one; one that does not is over", () => {
  const before = open();
  const { grantId } = before.agents.arrive("claude");
  const gone = before.agents.arrive("codex");
  const after = open(before.kept());
  now += LOCAL_GRACE_MS - 1;
  expect(after.agents.arrive("claude").grantId).toBe(grantId);
  now += 1;
  expect(after.grants.lookUp(grantId)).toBeDefined();
  expect(after.grants.lookUp(gone.grantId)).toBeUndefined();
});

test("G10 grants of local agents are never told to the relay", () => {
  const { agents, grants } = open();
  agents.arrive("claude");
  expect(grantsForRoom(grants.list()).add).toEqual([]);
});

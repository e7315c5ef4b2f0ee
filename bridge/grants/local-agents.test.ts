// The identity of local agents, in modelled time.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MAX_GRANTS } from "../../protocol/limits.ts";
import { LocalAgents, MAX_DISCONNECTED } from "./local-agents.ts";
import { grantsForRoom } from "./room-grants.ts";
import { GrantTable, LOCAL_GRACE_MS } from "./grant-table.ts";
import type { SessionRecord } from "./grant-records.ts";

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
  const first = agents.connect("claude");
  const second = agents.connect("claude");
  const other = agents.connect("codex");
  expect(second.grantId).toBe(first.grantId);
  expect(other.grantId).not.toBe(first.grantId);
  expect(grants.lookUp(first.grantId)).toMatchObject({ label: "claude", role: "agent" });
  expect(agents.connect(undefined).grantId).toBe(agents.connect(" \u0007\n ").grantId);
});

test("G26 its grant lasts 10 minutes beyond its last connection, and a new one renews it", () => {
  const { agents, grants } = open();
  const first = agents.connect("claude");
  const second = agents.connect("claude");
  first.disconnect();
  first.disconnect();
  now += 2 * LOCAL_GRACE_MS;
  expect(grants.lookUp(first.grantId)).toBeDefined();
  second.disconnect();
  now += LOCAL_GRACE_MS - 1;
  const third = agents.connect("claude");
  expect(third.grantId).toBe(first.grantId);
  third.disconnect();
  now += LOCAL_GRACE_MS;
  expect(grants.lookUp(first.grantId)).toBeUndefined();
  expect(agents.connect("claude").grantId).not.toBe(first.grantId);
});

test("G26 after a crash an agent that comes back in time is the same one; one that does not is over", () => {
  const before = open();
  const { grantId } = before.agents.connect("claude");
  const gone = before.agents.connect("codex");
  const after = open(before.kept());
  now += LOCAL_GRACE_MS - 1;
  expect(after.agents.connect("claude").grantId).toBe(grantId);
  now += 1;
  expect(after.grants.lookUp(grantId)).toBeDefined();
  expect(after.grants.lookUp(gone.grantId)).toBeUndefined();
});

test("E10 G27 agents that left do not use up the grants; those that left last keep theirs, the connected all", () => {
  const { agents, grants } = open();
  const connected = agents.connect("connected");
  const comeAndGo = (name: string) => {
    now += 1;
    const { grantId, disconnect } = agents.connect(name);
    disconnect();
    return grantId;
  };
  const first = comeAndGo("first");
  const often = comeAndGo("often");
  const ids = Array.from({ length: MAX_GRANTS }, (_, index) => {
    expect(comeAndGo("often")).toBe(often);
    return comeAndGo(`agent ${index}`);
  });
  const alive = ids.filter((id) => grants.lookUp(id) !== undefined);
  expect(alive).toEqual(ids.slice(1 - MAX_DISCONNECTED));
  expect(grants.lookUp(first)).toBeUndefined();
  expect(comeAndGo(`agent ${ids.length - 1}`)).toBe(ids.at(-1));
  expect(grants.lookUp(connected.grantId)).toMatchObject({ expiresAt: null });
  expect(grants.list()).toHaveLength(1 + MAX_DISCONNECTED);
  const link = { role: "edit", scopes: [], label: "", expiresAt: null, session: true } as const;
  expect(() => grants.mint({ ...link, scopes: [] })).not.toThrow();
});

test("G10 grants of local agents are never told to the relay", () => {
  const { agents, grants } = open();
  agents.connect("claude");
  expect(grantsForRoom(grants.list()).add).toEqual([]);
});

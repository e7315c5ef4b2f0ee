// What proves a caller's grant, at a gate with a table of grants that the test controls.

import { expect, test } from "vitest";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import type { Grant } from "../grants/grant-table.ts";
import { createLog } from "../log.ts";
import type { Caller, Door } from "./caller.ts";
import { Hub } from "./hub.ts";
import { HANDSHAKE_TIMEOUT_MS, ProofGate } from "./proof-gate.ts";

const TOKEN = (id: string) => `pp_${id}_${"s".repeat(32)}`;
const PSK = "ab".repeat(32);

function world(...grants: Grant[]) {
  const valid = new Map(grants.map((grant) => [grant.id, grant]));
  const lookUp = (id: string) => valid.get(id);
  const logged: string[] = [];
  const log = createLog("info", (line) => void logged.push(line));
  const timers: { action: () => void; milliseconds: number; isCancelled: boolean }[] = [];
  const gate = new ProofGate({
    grants: { peek: lookUp, verify: (ticket) => grants.find(({ id }) => ticket === TOKEN(id)) },
    log,
    schedule: (action, milliseconds) => {
      const timer = { action, milliseconds, isCancelled: false };
      timers.push(timer);
      return () => {
        timer.isCancelled = true;
      };
    },
  });
  const hub = new Hub({ lookUp, onEvent: () => () => {} }, log);
  hub.addGate(gate);
  const come = (id: string, ticket?: string, proof: Door["proof"] = "ticket") => {
    const base = callerWith(createGrant(id), "people");
    const closed: string[] = [];
    const caller: Caller = {
      ...base,
      door: { ...base.door, proof },
      grantId: id,
      ticket,
      grant: () => lookUp(id),
      close: ({ why }) => void closed.push(why),
    };
    const leave = hub.open(caller);
    return { caller, closed, leave };
  };
  return { hub, come, logged, timers, valid };
}

test("G41 a ticket opens its own grant and no other; a socket of this machine needs none", () => {
  const { hub, come, logged } = world(
    createGrant("aaaaaaaaaa", { role: "edit" }),
    createGrant("bbbbbbbbbb", { role: "edit" }),
  );
  const own = come("aaaaaaaaaa", TOKEN("aaaaaaaaaa"));
  expect([hub.isOpen(own.caller), own.closed]).toEqual([true, []]);
  for (const [ticket, why] of [
    [undefined, "no ticket"],
    [TOKEN("bbbbbbbbbb"), "unproven"],
    ["", "unproven"],
    [`pp_aaaaaaaaaa_${"t".repeat(32)}`, "unproven"],
  ] as const) {
    const { caller, closed } = come("aaaaaaaaaa", ticket);
    expect([hub.isOpen(caller), closed]).toEqual([false, [why]]);
  }
  const local = come("aaaaaaaaaa", undefined, "socket");
  expect(hub.isOpen(local.caller)).toBe(true);
  expect(logged).toHaveLength(3);
});

test("G15 a link that has ended is refused as one, and is no lie of the relay", () => {
  const { come, logged } = world();
  expect(come("aaaaaaaaaa", TOKEN("aaaaaaaaaa")).closed).toEqual(["revoked"]);
  expect(logged).toEqual([]);
});

test("G43 a sealed grant's socket waits for a handshake: any other message, or 10 s, ends it", () => {
  const { hub, come, timers } = world(createGrant("aaaaaaaaaa", { role: "edit", psk: PSK }));
  const talks = come("aaaaaaaaaa", TOKEN("aaaaaaaaaa"));
  expect([hub.isWaiting(talks.caller), talks.closed]).toEqual([true, []]);
  hub.handleMessage(talks.caller, new TextEncoder().encode('{"type":"room:hello"}'));
  expect(talks.closed).toEqual(["sealed"]);
  expect(timers.map(({ isCancelled }) => isCancelled)).toEqual([true]);
  const silent = come("aaaaaaaaaa", TOKEN("aaaaaaaaaa"));
  const [, timer] = timers;
  expect(timer?.milliseconds).toBe(HANDSHAKE_TIMEOUT_MS);
  timer?.action();
  expect(silent.closed).toEqual(["sealed"]);
  const leaves = come("aaaaaaaaaa", TOKEN("aaaaaaaaaa"));
  leaves.leave();
  expect(timers.at(-1)?.isCancelled).toBe(true);
});

test("G44 the ticket is verified again when the link comes back", () => {
  const { hub, come } = world(createGrant("aaaaaaaaaa", { role: "edit" }));
  const { caller, closed } = come("aaaaaaaaaa", TOKEN("aaaaaaaaaa"));
  hub.announce(caller);
  expect(closed).toEqual([]);
  Object.assign(caller, { ticket: undefined });
  hub.announce(caller);
  expect([closed, hub.isOpen(caller)]).toEqual([["no ticket"], false]);
});

test("G46 a lie is logged once for each link and kind; links that do not exist share one line", () => {
  const { come, logged } = world(createGrant("aaaaaaaaaa", { role: "edit" }));
  for (let n = 0; n < 200; n++) come(`g${String(n).padStart(9, "0")}`);
  for (let times = 0; times < 3; times++) come("aaaaaaaaaa");
  expect(logged).toHaveLength(2);
});

// The room dialect: which messages widen access, and the errors for invalid ones.

import { expect, test } from "vitest";
import { Hub } from "../../callers/hub.ts";
import { ElevationGate } from "../../callers/elevation-gate.ts";
import { createLog } from "../../log.ts";
import { callerWith, createGrant } from "../../../test/support/caller.ts";
import { peopleRoom } from "../../../test/support/people.ts";
import { toBytes } from "../../../protocol/text.ts";
import type { Dialect } from "../../callers/dialect-interface.ts";

test("PE8 at a socket of this machine, letting in, giving rights and sharing need the code; narrowing needs none", () => {
  const did: string[] = [];
  const { dialect: room } = peopleRoom();
  const dialect: Dialect = {
    prefix: "room:",
    doors: ["terminal"],
    onMessage: (_caller, { type }) => void did.push(type),
    error: (code, error) => JSON.stringify({ code, error }),
    requiresCode: (message) => room.requiresCode(message),
  };
  const grants = { lookUp: () => undefined, onEvent: () => () => {} };
  const gate = new ElevationGate({ code: "48217730", hasAgentCalled: true });
  const hub = new Hub(
    grants,
    createLog("silent", () => {}),
    gate,
  );
  hub.registerDialect(dialect);
  const local = callerWith(createGrant("hostterm01", { role: "edit" }), "terminal");
  hub.open(local);
  const say = (message: object) => hub.handleMessage(local, toBytes(JSON.stringify(message)));
  const widening = [
    { type: "room:admit", who: "a" },
    { type: "room:rights", who: "a", role: "edit" },
    { type: "room:share" },
  ];
  for (const message of widening) say(message);
  expect(did).toEqual([]);
  expect(local.messages.at(-1)).toContain("confirmation code");
  for (const message of widening) say({ ...message, code: "48217730" });
  say({ type: "room:rights", who: "a", role: "view" });
  say({ type: "room:remove", who: "a" });
  say({ type: "room:turn-away", who: "a" });
  expect(did).toEqual([
    ...widening.map(({ type }) => type),
    "room:rights",
    "room:remove",
    "room:turn-away",
  ]);
});

test("PE2 what does not fit is answered, and a pong is for whoever asked", () => {
  const { come, mint, hub } = peopleRoom();
  const ana = come(mint().grant.id);
  ana.say({ type: "room:dance" });
  ana.say({ type: "room:look", id: 7 });
  ana.say({ type: "room:hello", device: "too short" });
  ana.say({ type: "pairpty:pong", n: "x" });
  expect(ana.received("room:error")).toHaveLength(4);
  expect(hub.listAdmitted()).toContain(ana);
});

test("FR3 FR11 who is in is told what the workspace is called, by what they may; who waits is not", () => {
  const { come, mint, hosting } = peopleRoom();
  const host = come(mint().grant.id);
  expect(host.received("room:welcome")).toMatchObject([{ folder: "shop (ana)" }]);
  const guest = come(mint({ role: "view" }).grant.id);
  expect(guest.received("room:welcome")).toMatchObject([{ folder: "shop (k3f9)" }]);
  const late = come(mint({ knock: true }).grant.id);
  late.say({ type: "room:hello", name: "Gus" });
  expect(JSON.stringify(late.messages)).not.toContain("shop");
  hosting.admit(host, "Gus");
  expect(late.received("room:welcome")).toMatchObject([{ folder: "shop (ana)" }]);
});

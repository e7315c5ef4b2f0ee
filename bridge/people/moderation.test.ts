// The host's decisions about people, and which outlast reloads and the bridge.

import { expect, test } from "vitest";
import { toDevice, peopleRoom } from "../../test/support/people.ts";
import type { Guest } from "../../test/support/people.ts";
import { DEVICE_HEADER } from "../../protocol/names.ts";
import { callerDisplayName } from "../callers/caller.ts";
import { createControlCaller } from "../doors/control/control-server.ts";
import { Devices, hashDevice } from "./devices.ts";

const hello = (guest: Guest, name: string, device = name) =>
  guest.say({ type: "room:hello", name, device: toDevice(device) });
const host = createControlCaller(() => {});

test("PE5 PE37 who is let in has the room, and needs no second knock in that browser by that link", () => {
  const { come, enter, mint, hub, clock, events, audit, visitors } = peopleRoom();
  const ana = enter(mint({ label: "ana" }).grant.id);
  const { grant } = mint({ knock: true, label: "guest" });
  const gus = come(grant.id);
  hello(gus, "Gus");
  clock.pass(600);
  expect(ana.received("room:knocks").at(-1)).toMatchObject({ knocks: [{ name: "Gus" }] });
  ana.say({ type: "room:admit", who: visitors.listKnocks()[0]?.id });
  expect(hub.isWaiting(gus)).toBe(false);
  expect(gus.received("room:you").at(-1)).toMatchObject({ name: "Gus", role: "edit" });
  expect(gus.received("room:people").at(-1)).toMatchObject({ whole: true });
  expect(events).toEqual(["knocked Gus", "admitted Gus"]);
  expect(audit).toMatchObject([
    { event: "person let in", label: "ana", arguments: { person: "Gus (guest)" } },
  ]);
  clock.pass(600);
  expect(ana.received("room:knocks").at(-1)).toMatchObject({ knocks: [] });
  gus.leave();
  const again = come(grant.id);
  expect(hub.isWaiting(again)).toBe(true);
  hello(again, "Gus");
  expect(hub.isWaiting(again)).toBe(false);
  // Another browser with the same link knocks; so does this one with another link that knocks.
  const other = come(grant.id);
  hello(other, "Gus", "other");
  expect(hub.isWaiting(other)).toBe(true);
  const elsewhere = come(mint({ knock: true }).grant.id);
  hello(elsewhere, "Gus");
  expect(hub.isWaiting(elsewhere)).toBe(true);
});

test("PE5 a View link lets no one in, and no one lets in who waits themselves", () => {
  const { come, enter, mint, hub } = peopleRoom();
  const vic = enter(mint({ role: "view" }).grant.id);
  const gus = come(mint({ knock: true }).grant.id);
  hello(gus, "Gus");
  vic.say({ type: "room:admit", who: "gus" });
  gus.say({ type: "room:admit", who: "gus" });
  expect(vic.received("room:error").at(-1)).toMatchObject({ code: "forbidden" });
  expect(hub.isWaiting(gus)).toBe(true);
});

test("PE38 one is named by id, name or label; a name of two people is not one", () => {
  const { come, mint, hosting, visitors } = peopleRoom({ isKnockOn: true });
  const one = come(mint({ label: "first" }).grant.id);
  const two = come(mint({ label: "second" }).grant.id);
  hello(one, "Ada", "one");
  hello(two, "Ada", "two");
  expect(hosting.admit(host, "ada")).toMatchObject({ ok: false, code: "bad_request" });
  expect(hosting.admit(host, "nobody")).toMatchObject({ ok: false, code: "not_found" });
  expect(hosting.admit(host, "second")).toMatchObject({ ok: true, personName: "Ada (second)" });
  expect(hosting.admit(host, visitors.listKnocks()[0]?.id ?? "")).toMatchObject({ ok: true });
  expect(visitors.listWaiting()).toEqual([]);
});

test("PE40 who is turned away is told so, stays out in that browser, and can be let come again", () => {
  const { come, mint, hosting, visitors } = peopleRoom({ isKnockOn: true });
  const { id } = mint().grant;
  const gus = come(id);
  hello(gus, "Gus");
  expect(hosting.turnAway(host, "Gus")).toMatchObject({ ok: true });
  expect(gus.closed).toEqual(["sent away"]);
  expect(gus.received("room:away")).toMatchObject([{ why: "turned away" }]);
  const again = come(id);
  hello(again, "Gus");
  expect(again.closed).toEqual(["sent away"]);
  const [away] = hosting.listRemoved();
  expect(away).toMatchObject({ called: "Gus (edit link)" });
  expect(hosting.admit(host, away?.id ?? "")).toMatchObject({ ok: true });
  const third = come(id);
  hello(third, "Gus");
  expect(third.closed).toEqual([]);
  expect(visitors.listWaiting()).toEqual([]);
});

test("PE6 PE41 one browser's right to type is taken and given, live, over reloads and whatever its link", async () => {
  const { come, mint, hosting, hub } = peopleRoom();
  const changed: string[] = [];
  hub.registerDialect({
    prefix: "seen:",
    doors: ["people"],
    onMessage: () => {},
    error: () => "",
    onRightsChange: (caller) => void changed.push(String(caller.grant()?.role)),
  });
  const { id } = mint().grant;
  const [gus, second, ben] = [come(id), come(id), come(id)];
  hello(gus, "Gus");
  hello(second, "Gus");
  hello(ben, "Ben");
  expect(hosting.setRole(host, "Gus", "view")).toMatchObject({ ok: true });
  expect([gus, second, ben].map((guest) => guest.grant()?.role)).toEqual(["view", "view", "edit"]);
  expect(changed).toEqual(["view", "view"]);
  // Its link is unchanged.
  expect(callerDisplayName(gus)).toBe("Gus (edit link)");
  expect(gus.received("room:you").at(-1)).toMatchObject({ role: "view", limited: true });
  gus.leave();
  // By another link, too.
  const again = come(mint({ label: "another" }).grant.id);
  expect(again.grant()?.role).toBe("edit");
  hello(again, "Gus");
  expect(again.grant()?.role).toBe("view");
  // And over HTTP.
  let role: string | undefined;
  hub.registerRoute({
    path: "/role",
    requires: "look",
    serve: async (caller) => {
      role = caller.grant()?.role;
      return new Response("");
    },
  });
  const headers = { [DEVICE_HEADER]: toDevice("Gus") };
  await hub.request(come(id, { door: "http" }), new Request("http://x/role", { headers }));
  expect(role).toBe("view");
  expect(hosting.setRole(host, "Gus", "edit")).toMatchObject({ ok: true });
  expect(again.grant()?.role).toBe("edit");
  // A client with a made-up id is a new browser: it gets what the link gives, and no more.
  expect(hosting.setRole(host, "Gus", "view")).toMatchObject({ ok: true });
  const forged = come(mint({ role: "view" }).grant.id);
  hello(forged, "Gus", "forged");
  expect(forged.grant()?.role).toBe("view");
  // A View link can only watch, so its browser gets no message about a limit.
  const watching = come(mint({ role: "view" }).grant.id);
  hello(watching, "Gus");
  expect(watching.received("room:you").at(-1)).not.toHaveProperty("limited");
});

test("PE42 no one gets more than their link gives, no one changes themselves, and a View link changes no one", () => {
  const { enter, mint, hosting } = peopleRoom();
  const vic = enter(mint({ role: "view", label: "vic" }).grant.id);
  const ana = enter(mint({ label: "ana" }).grant.id);
  hello(ana, "Ana");
  expect(hosting.setRole(host, "vic", "edit")).toMatchObject({ ok: false, code: "forbidden" });
  expect(hosting.setRole(vic, "ana", "view")).toMatchObject({ ok: false, code: "forbidden" });
  expect(hosting.remove(ana, "Ana")).toMatchObject({ ok: false });
  expect(hosting.setRole(ana, "Ana", "view")).toMatchObject({ ok: false });
  expect(ana.grant()?.role).toBe("edit");
});

test("PE43 PE44 a View link watches anyway, and is not limited; any page with an Edit link, or a limit, is enough to lift it", () => {
  const { come, mint, hosting, devices, decided } = peopleRoom();
  const vic = come(mint({ role: "view", label: "vic" }).grant.id);
  hello(vic, "Vic");
  expect(hosting.setRole(host, "Vic", "view")).toEqual({
    ok: true,
    personName: "Vic (vic)",
    note: "Vic (vic) has a View link and can only watch. Nothing has changed",
  });
  expect(devices.getVerdict(hashDevice(toDevice("Vic")))).toEqual({});
  // The page that came first has the View link.
  const second = come(mint({ label: "vic" }).grant.id);
  hello(second, "Vic");
  expect(hosting.setRole(host, "Vic", "view")).toEqual({ ok: true, personName: "Vic (vic)" });
  expect(second.grant()?.role).toBe("view");
  expect(hosting.setRole(host, "Vic", "view")).toMatchObject({
    note: "Vic (vic) is already limited to watching",
  });
  expect(hosting.setRole(host, "Vic", "edit")).toEqual({ ok: true, personName: "Vic (vic)" });
  expect(second.grant()?.role).toBe("edit");
  expect(hosting.setRole(host, "Vic", "edit")).toMatchObject({
    note: "Vic (vic) can already type",
  });
  hosting.setRole(host, "Vic", "view");
  second.leave();
  expect(hosting.setRole(host, "Vic", "edit")).toMatchObject({
    note: "Vic (vic) is no longer limited, and has a View link, which cannot type",
  });
  expect(devices.getVerdict(hashDevice(toDevice("Vic")))).toEqual({});
  expect(hosting.setRole(host, "Vic", "edit")).toMatchObject({ ok: false, code: "forbidden" });
  expect(decided.map(({ what }) => what)).toEqual([
    "kept to watching",
    "may type again",
    "kept to watching",
    "may type again",
  ]);
});

test("PE49 of a client that says no id, only its socket is limited", () => {
  const { come, mint, hosting, visitors } = peopleRoom();
  const { id } = mint().grant;
  const plain = come(id);
  expect(hosting.setRole(host, visitors.listPeople()[0]?.id ?? "", "view")).toMatchObject({
    ok: true,
  });
  expect(plain.grant()?.role).toBe("view");
  expect(come(id).grant()?.role).toBe("edit");
});

test("PE7 who is sent away is told so, in every tab, and does not come back with that browser", () => {
  const { come, mint, hosting, audit } = peopleRoom();
  const { id } = mint().grant;
  const [one, two] = [come(id), come(id)];
  hello(one, "Gus");
  hello(two, "Gus");
  expect(hosting.remove(host, "Gus")).toMatchObject({ ok: true });
  expect([one.closed, two.closed]).toEqual([["sent away"], ["sent away"]]);
  expect(one.received("room:away")).toMatchObject([{ why: "removed" }]);
  const again = come(id);
  hello(again, "Gus");
  expect(again.closed).toEqual(["sent away"]);
  expect(audit.at(-1)).toMatchObject({ event: "person sent away", label: "command line" });
});

test("PE7 PE61 who is sent away and the host's window are told by whom; who only waits is told no name", () => {
  const { come, mint, hosting, decided } = peopleRoom();
  const ben = come(mint({ label: "ben's link" }).grant.id);
  const { id } = mint({ label: "guest" }).grant;
  const gus = come(id);
  hello(ben, "Ben");
  hello(gus, "Gus");
  hosting.setRole(ben, "Gus", "view");
  hosting.remove(ben, "Gus");
  expect(gus.received("room:away")).toEqual([
    {
      type: "room:away",
      why: "removed",
      by: "Ben (ben's link)",
      you: expect.stringMatching(/^[0-9a-f]{8}$/),
    },
  ]);
  hosting.admit(host, "Gus");
  const by = "Ben (ben's link)";
  const who = "Gus (guest)";
  expect(decided).toEqual([
    { what: "kept to watching", who, by },
    { what: "sent away", who, by },
    { what: "may come again", who, by: "The host" },
  ]);
  const mal = come(mint({ knock: true }).grant.id);
  hello(mal, "Mal");
  hosting.turnAway(ben, "Mal");
  expect(mal.received("room:away")).toEqual([
    { type: "room:away", why: "turned away", you: expect.stringMatching(/^[0-9a-f]{8}$/) },
  ]);
});

test("PE74 a browser that was removed or turned away comes in by one admit, also by a link that knocks", () => {
  const { come, mint, hosting, hub, devices, grants } = peopleRoom();
  const { id } = mint({ knock: true, label: "guest" }).grant;
  const gus = come(id);
  hello(gus, "Gus");
  hosting.admit(host, "Gus");
  expect(hosting.remove(host, "Gus")).toMatchObject({ ok: true, knocks: true });
  expect(devices.isAdmitted(hashDevice(toDevice("Gus")), id)).toBe(false);
  const early = come(id);
  hello(early, "Gus");
  expect(early.closed).toEqual(["sent away"]);
  expect(hosting.admit(host, "Gus")).toMatchObject({ ok: true, isRemovalLifted: true });
  const back = come(id);
  hello(back, "Gus");
  expect([hub.isWaiting(back), back.grant()?.role]).toEqual([false, "edit"]);
  const mal = come(id);
  hello(mal, "Mal");
  hosting.turnAway(host, "Mal");
  hosting.admit(host, "Mal");
  const again = come(id);
  hello(again, "Mal");
  expect(hub.isWaiting(again)).toBe(false);
  // Another browser, and another link that knocks, still wait.
  const [other, elsewhere] = [come(id), come(mint({ knock: true }).grant.id)];
  hello(other, "Eve");
  hello(elsewhere, "Gus");
  expect([other, elsewhere].map((guest) => hub.isWaiting(guest))).toEqual([true, true]);
  expect(grants.lookUp(id)).toBeDefined();
});

test("PE75 it is known whether another browser has to wait with the person's link", () => {
  const { come, mint, hosting } = peopleRoom();
  const gus = come(mint({ label: "open" }).grant.id);
  hello(gus, "Gus");
  expect(hosting.setRole(host, "Gus", "view")).not.toHaveProperty("knocks");
  expect(hosting.remove(host, "Gus")).not.toHaveProperty("knocks");
});

test("PE66 a guest cannot send the host's own page away or keep it to watching; the host can", () => {
  const { come, mint, hosting } = peopleRoom();
  const mara = come(mint({ own: true, label: "the host" }).grant.id);
  const ben = come(mint({ label: "ben" }).grant.id);
  hello(mara, "Mara");
  hello(ben, "Ben");
  const refusal = {
    ok: false,
    code: "forbidden",
    error: "This is the host's own page: only the host can do that",
  };
  expect(hosting.remove(ben, "Mara")).toEqual(refusal);
  expect(hosting.setRole(ben, "Mara", "view")).toEqual(refusal);
  expect([mara.closed, mara.grant()?.role]).toEqual([[], "edit"]);
  // Another page of the host's own link, and this machine.
  const other = come(mara.grantId);
  hello(other, "Mara", "phone");
  expect(hosting.remove(mara, "Mara")).toMatchObject({ ok: true });
  expect(hosting.remove(mara, "Ben")).toMatchObject({ ok: true });
  expect(hosting.setRole(host, "Mara", "view")).toMatchObject({ ok: true });
});

test("PE37 PE41 what was decided is kept for the next bridge; a file that cannot be read is no reason to fail", () => {
  const { come, mint, hosting, devicesPath, log, logged } = peopleRoom();
  const gus = come(mint().grant.id);
  hello(gus, "Gus");
  hosting.setRole(host, "Gus", "view");
  const next = new Devices(devicesPath, log);
  expect(next.getVerdict(hashDevice(toDevice("Gus")))).toEqual({ limit: "view" });
  expect(next.getVerdict(hashDevice(toDevice("Ben")))).toEqual({});
  next.limit(hashDevice(toDevice("Gus")), undefined, "");
  expect(new Devices(devicesPath, log).getVerdict(hashDevice(toDevice("Gus")))).toEqual({});
  expect(logged).toEqual([]);
});

test("PE38 the first word of a name is enough, where it is not another's whole name or of two", () => {
  const { come, mint, hosting } = peopleRoom();
  const comes = (name: string, label: string) => hello(come(mint({ label }).grant.id), name, label);
  comes("Ben Miller", "first");
  expect(hosting.setRole(host, "ben", "view")).toMatchObject({ personName: "Ben Miller (first)" });
  comes("Ben", "second");
  expect(hosting.setRole(host, "ben", "view")).toMatchObject({ personName: "Ben (second)" });
  comes("Eva One", "third");
  comes("Eva Two", "fourth");
  expect(hosting.setRole(host, "Eva", "view")).toMatchObject({ ok: false, code: "bad_request" });
  hosting.remove(host, "Ben Miller");
  expect(hosting.admit(host, "ben")).toMatchObject({ ok: true, personName: "Ben Miller (first)" });
});

test("PE39 PE66 who is sent away is told by which id they are let back; rows say who is the host", () => {
  const { come, mint, hosting, visitors } = peopleRoom();
  const mara = come(mint({ own: true, label: "the host" }).grant.id);
  const gus = come(mint({ label: "gus" }).grant.id);
  hello(mara, "Mara");
  hello(gus, "Gus");
  const rows = visitors.listPeople().map(({ name, host: isHost }) => [name, isHost]);
  expect(rows).toEqual([
    ["Mara", true],
    ["Gus", undefined],
  ]);
  const { id } = visitors.listPeople().find(({ name }) => name === "Gus") ?? { id: "" };
  hosting.remove(host, "Gus");
  expect(gus.received("room:away").at(-1)).toMatchObject({ why: "removed", you: id });
  expect(hosting.admit(host, id)).toMatchObject({ ok: true });
});

test("PE38 PE40 who was sent away is found by name and label, too; a name of two is not one", () => {
  const { come, mint, hosting } = peopleRoom();
  const comes = (name: string, label: string) => hello(come(mint({ label }).grant.id), name, label);
  comes("Ada", "first");
  comes("Bob", "second");
  for (const who of ["Ada", "Bob"]) hosting.remove(host, who);
  expect(hosting.admit(host, "ada")).toMatchObject({ ok: true, personName: "Ada (first)" });
  expect(hosting.admit(host, "second")).toMatchObject({ ok: true, personName: "Bob (second)" });
  expect(hosting.admit(host, "Bo")).toMatchObject({ ok: false, code: "not_found" });
  comes("Eve", "third");
  hosting.remove(host, "Eve");
  comes("Eve", "fourth");
  hosting.remove(host, "Eve");
  expect(hosting.admit(host, "Eve")).toMatchObject({ ok: false, code: "bad_request" });
  expect(hosting.listRemoved()).toHaveLength(2);
});

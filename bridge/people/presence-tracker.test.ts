// Who is here and who waits, through a real hub.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Person } from "../../protocol/room.ts";
import { displayName, cleanName, DEVICE_HEADER } from "../../protocol/names.ts";
import { anyCharacter } from "../../test/support/any-character.ts";
import { toDevice, peopleRoom } from "../../test/support/people.ts";
import type { Guest } from "../../test/support/people.ts";
import { MAX_WAITING, MAX_WAITING_PER_LINK } from "./knock-queue.ts";
import { diffRows } from "./presence-broadcaster.ts";

const hello = (guest: Guest, name?: string, device = name) =>
  guest.say({
    type: "room:hello",
    ...(name === undefined ? {} : { name }),
    ...(device === undefined ? {} : { device: toDevice(device) }),
  });

const lastPeople = (guest: Guest) => guest.received("room:people").at(-1);

test("PE23 a name is one short line of text, whatever is given", () => {
  expect(cleanName("  Ada \u001B[31m\u202E Love\nlace ")).toBe("Ada [31m Love lace");
  expect(cleanName("\u0000\u200B \n")).toBeUndefined();
  for (const name of [undefined, "\u3164", "\uD800", "\u0301"])
    expect(cleanName(name)).toBeUndefined();
  expect(cleanName("Ada\uD800")).toBe("Ada");
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (given) => {
      const name = cleanName(given);
      if (name === undefined) return;
      expect(Array.from(name).length).toBeLessThanOrEqual(40);
      expect(name).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(name.trim()).toBe(name);
      expect(cleanName(name)).toBe(name);
    }),
  );
});

test("PE24 a chosen name never stands without the label of its link", () => {
  expect(displayName({ name: "Ada", label: "bob's link" })).toBe("Ada (bob's link)");
  expect(displayName({ name: undefined, label: "bob's link" })).toBe("bob's link");
  expect(displayName({ name: "Ada", label: "Ada" })).toBe("Ada");
});

test("PE2 who listens to the people hears of each change until it stops, whatever another listener does", () => {
  const { come, mint, visitors, logged } = peopleRoom();
  const here: number[] = [];
  visitors.onEvent(() => expect.unreachable("a listener's bug"));
  const end = visitors.onEvent(() => void here.push(visitors.listPeople().length));
  const ana = come(mint().grant.id);
  const vic = come(mint({ role: "view" }).grant.id);
  ana.leave();
  expect(here).toEqual([1, 2, 1]);
  expect(logged.join()).toContain("a listener's bug");
  end();
  vic.leave();
  expect(here).toHaveLength(3);
});

test("PE1 PE2 PE26 whoever comes says a name, and everyone is told who is here, what they look at and who types", () => {
  const { come, enter, mint, clock, terminals } = peopleRoom();
  const meta = { cwd: "/", owner: "user", visible: true, createdAt: 0 } as const;
  terminals.set("pty-aaaaaa", { meta });
  const ana = enter(mint({ label: "ana's link" }).grant.id);
  const vic = enter(mint({ role: "view", label: "vic" }).grant.id);
  expect(ana.received("room:welcome")).toHaveLength(1);
  hello(ana, "Ana\u0007", "Ana");
  expect(ana.received("room:you").at(-1)).toMatchObject({ name: "Ana", label: "ana's link" });
  ana.say({ type: "room:look", id: "pty-aaaaaa" });
  clock.pass(100);
  const people = [
    { name: "Ana", label: "ana's link", role: "edit", looking: "pty-aaaaaa" },
    { label: "vic", role: "view" },
  ];
  expect(lastPeople(vic)).toMatchObject({ people });
  // A second page of the same browser is the same person.
  const again = come(ana.grantId);
  hello(again, "Ana");
  clock.pass(100);
  expect(again.received("room:people")[0]).toMatchObject({ whole: true });
  const ids = again.received("room:you").map(({ you }) => you);
  expect(ids.at(-1)).toBe(ana.received("room:you").at(-1)?.["you"]);
  again.leave();
  ana.leave();
  clock.pass(100);
  expect(lastPeople(vic)).toMatchObject({ people: [], gone: [ids.at(-1)] });
});

test("PE2 a client that has not said hello is told nothing of the others", () => {
  const { come, mint, clock } = peopleRoom();
  const plain = come(mint().grant.id);
  hello(come(mint().grant.id), "Ana");
  const gus = come(mint({ knock: true }).grant.id);
  hello(gus, "Gus");
  clock.pass(2_000);
  expect(plain.messages.map(({ type }) => type)).toEqual(["room:welcome"]);
});

test("PE2 who types is told while they do, and not for every key", () => {
  const { enter, mint, clock, visitors, terminals } = peopleRoom();
  const meta = { cwd: "/", owner: "user", visible: true, createdAt: 0 } as const;
  terminals.set("pty-aaaaaa", { meta });
  const ana = enter(mint().grant.id);
  const vic = enter(mint({ role: "view" }).grant.id);
  clock.pass(100);
  const before = vic.received("room:people").length;
  for (let key = 0; key < 50; key++) {
    visitors.markTyping(ana, "pty-aaaaaa");
    clock.pass(100);
  }
  expect(vic.received("room:people").length).toBe(before + 1);
  expect(lastPeople(vic)).toMatchObject({ people: [{ typing: "pty-aaaaaa" }] });
  clock.pass(3_200);
  expect(vic.received("room:people").length).toBe(before + 2);
  expect(lastPeople(vic)?.["people"]).not.toMatchObject([{ typing: "pty-aaaaaa" }]);
});

test("PE27 who may not know of a private terminal is not told who looks at it", () => {
  const { enter, mint, clock, terminals, visitors } = peopleRoom();
  const meta = { cwd: "/", owner: "user", visible: true, createdAt: 0, private: true } as const;
  terminals.set("pty-secret", { meta });
  const ana = enter(mint({ label: "ana" }).grant.id);
  const ben = enter(mint({ label: "ben" }).grant.id);
  const vic = enter(mint({ role: "view" }).grant.id);
  ana.say({ type: "room:look", id: "pty-secret" });
  visitors.markTyping(ana, "pty-secret");
  clock.pass(100);
  expect(JSON.stringify(ben.messages)).toContain("pty-secret");
  expect(JSON.stringify(vic.messages)).not.toContain("pty-secret");
});

test("PE73 no one counts as looking at a terminal that their link may not see", () => {
  const { enter, mint, clock, terminals, visitors } = peopleRoom();
  const meta = { cwd: "/", owner: "user", visible: true, createdAt: 0 } as const;
  terminals.set("pty-aaaaaa", { meta });
  const ana = enter(mint({ label: "ana" }).grant.id);
  const vic = enter(mint({ role: "view", label: "vic" }).grant.id);
  const listLooking = () =>
    visitors.listPeople().flatMap(({ label, looking }) => (looking ? [label] : []));
  for (const guest of [ana, vic]) guest.say({ type: "room:look", id: "pty-aaaaaa" });
  clock.pass(100);
  expect(listLooking()).toEqual(["ana", "vic"]);
  terminals.set("pty-aaaaaa", { meta: { ...meta, private: true } });
  visitors.onVisibilityChanged();
  clock.pass(100);
  expect(listLooking()).toEqual(["ana"]);
  expect(lastPeople(ana)?.["people"]).toMatchObject([{ label: "vic" }]);
  expect(JSON.stringify(lastPeople(ana))).not.toContain("pty-aaaaaa");
  // Its page still has the tab, and sends it again.
  vic.say({ type: "room:look", id: null });
  vic.say({ type: "room:look", id: "pty-aaaaaa" });
  expect(listLooking()).toEqual(["ana"]);
  terminals.set("pty-aaaaaa", { meta });
  visitors.onVisibilityChanged();
  clock.pass(100);
  expect(JSON.stringify(lastPeople(ana))).toContain("pty-aaaaaa");
});

test("PE25 what is told of people is what changed", () => {
  const row = fc.record({
    id: fc.constantFrom("a", "b", "c", "d"),
    label: fc.constantFrom("x", "y"),
    role: fc.constant("view" as const),
    since: fc.constant(1),
  });
  const rows = fc.uniqueArray(row, { selector: ({ id }) => id });
  fc.assert(
    fc.property(rows, rows, (before, after) => {
      const messages = new Map<string, string>(before.map((one) => [one.id, JSON.stringify(one)]));
      const { people, gone } = diffRows(messages, after);
      const known = new Map<string, Person>(before.map((one) => [one.id, one]));
      for (const one of people) known.set(one.id, one);
      for (const id of gone) known.delete(id);
      const sorted = (all: Iterable<{ id: string }>) =>
        [...all].toSorted((a, b) => a.id.localeCompare(b.id));
      expect(sorted(known.values())).toEqual(sorted(after));
      expect(people.every((one) => messages.get(one.id) !== JSON.stringify(one))).toBe(true);
    }),
  );
});

test("PE3 whoever waits is told that, and nothing of the room", () => {
  const { come, enter, mint, clock, hub, visitors } = peopleRoom();
  const { grant } = mint({ knock: true, label: "guest" });
  const ana = enter(mint({ label: "ana" }).grant.id);
  const gus = come(grant.id);
  hello(gus, "Gus");
  gus.say({ type: "room:look", id: "pty-aaaaaa" });
  gus.say({ type: "pty:attach", id: "pty-aaaaaa" });
  gus.say({ type: "room:admit", who: "gus" });
  hub.broadcast(JSON.stringify({ type: "terminal", event: "created" }));
  clock.pass(2_000);
  expect(new Set(gus.messages.map(({ type }) => type))).toEqual(new Set(["room:waiting"]));
  expect(hub.listAdmitted()).not.toContain(gus);
  // People inside see no more of it than those who may let it in.
  expect(visitors.listPeople()).toHaveLength(1);
  expect(ana.received("room:knocks").at(-1)).toMatchObject({
    knocks: [{ name: "Gus", label: "guest", role: "edit" }],
  });
});

test("PE3 PE6 of someone who waits no one is told that they were limited: there is nothing to lift yet", () => {
  const { come, enter, mint, hosting, visitors } = peopleRoom();
  const host = enter(mint({ label: "host" }).grant.id);
  const gus = come(mint().grant.id);
  hello(gus, "Gus");
  hosting.setRole(host, "Gus", "view");
  expect(visitors.listPeople().find(({ name }) => name === "Gus")).toHaveProperty("limited", true);
  gus.leave();
  hello(come(mint({ knock: true }).grant.id), "Gus");
  const [knock] = visitors.listKnocks();
  expect(knock).toMatchObject({ name: "Gus" });
  expect(knock).not.toHaveProperty("limited");
});

test("PE33 a View link is not told who waits", () => {
  const { come, enter, mint, clock } = peopleRoom();
  const vic = enter(mint({ role: "view" }).grant.id);
  const gus = come(mint({ knock: true }).grant.id);
  hello(gus, "Gus");
  clock.pass(2_000);
  expect(JSON.stringify(vic.messages)).not.toContain("Gus");
});

test("PE29 over HTTP a link that knocks serves only browsers that were let in", async () => {
  const { come, mint, hub, hosting, grants } = peopleRoom();
  hub.registerRoute({ path: "/pty", requires: "look", serve: async () => new Response("list") });
  const { grant } = mint({ knock: true });
  const ask = async (device?: string) => {
    const headers = device === undefined ? {} : { [DEVICE_HEADER]: toDevice(device) };
    const caller = come(grant.id, { door: "http" });
    const response = await hub.request(caller, new Request("http://bridge/pty", { headers }));
    caller.leave();
    return response?.status;
  };
  expect(await ask()).toBe(403);
  expect(await ask("gus")).toBe(403);
  const gus = come(grant.id);
  hello(gus, "gus");
  expect(hosting.admit(come(mint().grant.id), "gus")).toMatchObject({ ok: true });
  expect(await ask("gus")).toBe(200);
  expect(await ask("another")).toBe(403);
  expect(grants.lookUp(grant.id)).toBeDefined();
});

test("PE3 PE30 with --knock everyone waits, but for this machine's own terminals and those who were in", () => {
  const { come, mint, hub } = peopleRoom({ isKnockOn: true });
  const { grant } = mint();
  expect(hub.isWaiting(come(grant.id))).toBe(true);
  expect(hub.isWaiting(come(grant.id, { door: "terminal" }))).toBe(false);
  expect(hub.isWaiting(come(grant.id, { wasIn: true }))).toBe(false);
});

test("PE30 PE32 PE63 after a restart with --knock those who were in wait at the door, and the host's own page goes on", () => {
  const { come, mint, hosting, hub } = peopleRoom({ isKnockOn: true });
  const { id } = mint({ label: "ana's link" }).grant;
  const own = mint({ own: true, label: "the host" }).grant.id;
  const ana = come(id, { wasIn: true });
  hello(ana, "Ana");
  expect(ana.received("room:you")).toEqual([]);
  expect(ana.closed).toEqual(["knocks"]);
  // Its page reconnects automatically and gets `room:waiting`.
  const again = come(id);
  hello(again, "Ana");
  expect(hub.isWaiting(again)).toBe(true);
  expect(new Set(again.messages.map(({ type }) => type))).toEqual(new Set(["room:waiting"]));
  const host = come(own, { wasIn: true });
  expect(hosting.admit(host, "Ana")).toMatchObject({ ok: true });
  expect(again.grant()?.role).toBe("edit");
  // A person let in with --knock stays in under the next bridge with --knock.
  const back = come(id, { wasIn: true });
  hello(back, "Ana");
  expect([back.closed, back.grant()?.role]).toEqual([[], "edit"]);
  hosting.setRole(host, "Ana", "view");
  for (const arrival of [{ wasIn: true }, { wasThere: true }])
    expect(come(own, arrival).grant()?.role).toBe("edit");
});

test("PE4 the waiting room is bounded, for one link and for all, and a flood is few words", () => {
  const { come, mint, clock, visitors, events } = peopleRoom({ isKnockOn: true });
  const first = mint().grant.id;
  const crowd = Array.from({ length: 40 }, () => come(first));
  expect(visitors.listWaiting()).toHaveLength(MAX_WAITING_PER_LINK);
  expect(crowd.at(-1)?.closed).toEqual(["full"]);
  expect(crowd.at(-1)?.received("room:away")).toMatchObject([{ why: "full" }]);
  // Guests of another link can still wait.
  expect(come(mint().grant.id).closed).toEqual([]);
  for (let link = 0; link < 10; link++) {
    const { id } = mint().grant;
    for (let one = 0; one < MAX_WAITING_PER_LINK; one++) come(id);
  }
  expect(visitors.listWaiting()).toHaveLength(MAX_WAITING);
  // Repeated knocks are announced only a few times.
  for (let round = 0; round < 200; round++) {
    const guest = crowd[0];
    guest?.leave();
    crowd[0] = come(first);
    hello(crowd[0], `n${round}`);
    clock.pass(10);
  }
  expect(events.filter((event) => event.startsWith("knocked")).length).toBeLessThanOrEqual(8);
});

test("PE30 PE63 the host's own page waits for no one, though everyone else does", () => {
  const { enter, come, mint, hub } = peopleRoom({ isKnockOn: true });
  expect(hub.isWaiting(enter(mint({ own: true, label: "the host" }).grant.id))).toBe(false);
  expect(hub.isWaiting(come(mint().grant.id))).toBe(true);
});

test("PE36 the host hears of a knock once, and once more by name", () => {
  const { come, mint, events } = peopleRoom({ isKnockOn: true });
  const guest = come(mint().grant.id);
  for (const name of [undefined, undefined, "Gus", "Gus", "Hal"]) {
    guest.say({ type: "room:hello", device: toDevice("gus"), name });
  }
  expect(events).toEqual(["knocked ?", "knocked Gus"]);
});

test("PE35 those inside hear of a flood of knocks twice a second at most", () => {
  const { come, enter, mint, clock } = peopleRoom();
  const ana = enter(mint().grant.id);
  clock.pass(1_000);
  const before = ana.messages.length;
  const { id } = mint({ knock: true }).grant;
  for (let round = 0; round < 500; round++) {
    const guest = come(id);
    hello(guest, `n${round}`);
    if (round % 2 === 0) guest.leave();
    clock.pass(10);
  }
  expect(ana.messages.length - before).toBeLessThanOrEqual(11);
});

test("PE34 whoever waits may say who they are a few times, and the rest is not heard", () => {
  const { come, mint, visitors } = peopleRoom({ isKnockOn: true });
  const gus = come(mint().grant.id);
  for (let word = 0; word < 50; word++) hello(gus, `name ${word}`, "Gus");
  expect(visitors.listKnocks()[0]?.name).toBe("name 9");
  gus.say({ type: "room:hello", name: 7 });
  gus.say({ nothing: true });
  expect(gus.closed).toEqual([]);
});

test("PE28 no one says so much about the room that others hear nothing else", () => {
  const { enter, mint, clock } = peopleRoom();
  const ana = enter(mint().grant.id);
  const ben = enter(mint().grant.id);
  const before = ben.messages.length;
  for (let word = 0; word < 300; word++) ana.say({ type: "room:name", name: `n${word}` });
  clock.pass(100);
  expect(ben.messages.length - before).toBeLessThanOrEqual(2);
  expect(ana.received("room:error").at(-1)).toMatchObject({ code: "too_many" });
});

test("PE48 PE49 a socket is one browser: who was kept to watching does not type by saying another one", () => {
  const { come, mint, hosting, visitors, hub } = peopleRoom();
  const { grant } = mint({ knock: true });
  const host = come(mint().grant.id);
  const gus = come(grant.id);
  hello(gus, "Gus");
  hello(gus, "Gus", "door");
  expect(gus.received("room:error")).toMatchObject([{ code: "forbidden" }]);
  hosting.admit(host, "Gus");
  hosting.setRole(host, "Gus", "view");
  const { device } = visitors.find(gus) ?? {};
  hello(gus, "Mallory", "invented");
  expect(gus.received("room:error")).toHaveLength(2);
  expect(gus.grant()?.role).toBe("view");
  expect(visitors.find(gus)?.device).toBe(device);
  expect(hub.isWaiting(gus)).toBe(false);
  // It may still rename itself.
  hello(gus, "Gustav", "Gus");
  expect(gus.status).toEqual({ name: "Gustav", limit: "view" });
  // A page that first sent no id gains nothing by sending one.
  const plain = come(mint({ label: "plain" }).grant.id);
  hosting.setRole(host, "plain", "view");
  hello(plain, "Pat");
  expect(plain.grant()?.role).toBe("view");
});

test("PE31 PE32 PE47 who was in before a restart only watches until it has said who it is, where that matters", () => {
  const { come, mint, hosting, devices, hub } = peopleRoom();
  const open = mint({ label: "open" }).grant.id;
  const { id } = mint({ knock: true, label: "knocks" }).grant;
  expect(come(open, { wasIn: true }).grant()?.role).toBe("edit");
  const host = come(mint().grant.id);
  const gus = come(id);
  hello(gus, "Gus");
  hosting.admit(host, "Gus");
  const back = come(id, { wasIn: true });
  expect(back.grant()?.role).toBe("view");
  hello(back);
  expect(back.grant()?.role).toBe("view");
  hello(back, "Gus");
  expect(back.grant()?.role).toBe("edit");
  // A made-up browser was never let in, so it has to wait.
  const made = come(id, { wasIn: true });
  hello(made, "Mallory");
  expect(made.closed).toEqual(["knocks"]);
  const other = come(id);
  hello(other, "Mallory");
  expect(hub.isWaiting(other)).toBe(true);
  hosting.admit(host, "Mallory");
  expect(other.grant()?.role).toBe("edit");
  hosting.setRole(host, "Mallory", "view");
  expect(devices.hasRestrictions()).toBe(true);
  // By a link without admission, it may be the person limited to watching.
  const plain = come(open, { wasIn: true });
  expect(plain.grant()?.role).toBe("view");
  hello(plain, "Ana");
  expect(plain.grant()?.role).toBe("edit");
  const narrowed = come(open, { wasIn: true });
  hello(narrowed, "Mallory");
  expect(narrowed.grant()?.role).toBe("view");
  // Without attachments the bridge cannot know that it was in: it only watches, or waits.
  expect(come(open, { wasThere: true }).grant()?.role).toBe("view");
  expect(hub.isWaiting(come(id, { wasThere: true }))).toBe(true);
});

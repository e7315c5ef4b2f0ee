// Links made in the page, and a browser's remembered link.

import { DEFAULT_SCOPES } from "../../protocol/grant.ts";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { getNotKeptReason } from "../../protocol/names.ts";
import { toDevice, peopleRoom } from "../../test/support/people.ts";
import type { Guest } from "../../test/support/people.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));
const share = (guest: Guest, request: object = {}) =>
  guest.say({ type: "room:share", role: "view", label: "carol", expiresInMs: 60_000, ...request });
const hello = (guest: Guest, name: string) =>
  guest.say({ type: "room:hello", name, device: toDevice(name) });

const grantIn = (shared: Record<string, unknown> | undefined) =>
  z.parse(z.object({ grant: z.object({ id: z.string() }) }), shared).grant.id;

test("PE11 whom the host lets share makes, lists and revokes links; no one else does", async () => {
  const { enter, mint, grants } = peopleRoom();
  const ana = enter(mint({ label: "ana", mayShare: true }).grant.id);
  const ben = enter(mint({ label: "ben" }).grant.id);
  expect(ana.received("room:you").at(-1)).toMatchObject({ mayShare: true });
  share(ana, { knock: true });
  share(ben);
  ben.say({ type: "room:links" });
  await settled();
  const [made] = ana.received("room:shared");
  expect(made).toMatchObject({ link: expect.stringContaining("#pp_"), grant: { label: "carol" } });
  const id = grantIn(made);
  expect(grants.lookUp(id)).toMatchObject({ role: "view", knock: true, madeBy: ana.grantId });
  expect(ben.received("room:error")).toMatchObject([{ code: "forbidden" }, { code: "forbidden" }]);
  // Only its own.
  ben.say({ type: "room:revoke", id });
  ana.say({ type: "room:revoke", id: ben.grantId });
  expect(ana.received("room:error").at(-1)).toMatchObject({ code: "not_found" });
  ana.say({ type: "room:links" });
  expect(ana.received("room:links").at(-1)).toMatchObject({ links: [{ id, label: "carol" }] });
  ana.say({ type: "room:revoke", id });
  expect(ana.received("room:links").at(-1)).toMatchObject({ links: [] });
  expect(grants.lookUp(id)).toBeUndefined();
});

test("PE55 a link made in the page gives no more and lasts no longer than the one it came from", async () => {
  const { enter, mint, grants, clock, hosting } = peopleRoom();
  const { grant } = mint({ mayShare: true, knock: true, expiresAt: clock.now + 5_000 });
  const ben = enter(mint().grant.id);
  const ana = enter(grant.id);
  hello(ana, "Ana");
  hosting.admit(ben, "Ana");
  share(ana, { role: "edit" });
  await settled();
  const id = grantIn(ana.received("room:shared")[0]);
  expect(grants.lookUp(id)).toMatchObject({ expiresAt: clock.now + 5_000, knock: true });
  expect(grants.lookUp(id)?.mayShare).toBeUndefined();
  // Without edit rights it cannot make links either.
  expect(hosting.setRole(ben, "Ana", "view")).toMatchObject({ ok: true });
  share(ana);
  await settled();
  expect(ana.received("room:error").at(-1)).toMatchObject({ code: "forbidden" });
  // What was made with a link ends with it.
  grants.revoke(grant.id);
  expect(grants.lookUp(id)).toBeUndefined();
});

test("PE11 links made in the page are counted", async () => {
  const { enter, mint } = peopleRoom();
  const ana = enter(mint({ mayShare: true }).grant.id);
  for (let link = 0; link < 25; link++) share(ana);
  await settled();
  expect(ana.received("room:shared")).toHaveLength(20);
  expect(ana.received("room:error").at(-1)).toMatchObject({ code: "too_many" });
});

test("PE10 PE51 a remembered browser has a link of its own, with the rights and the end of the one it came by", async () => {
  const { come, enter, mint, grants, hub } = peopleRoom({ isKnockOn: false });
  const { grant } = mint({ label: "ana" });
  const ana = enter(grant.id);
  hello(ana, "Ana");
  ana.say({ type: "room:remember", origin: "https://relay.example.com" });
  await settled();
  const [remembered] = ana.received("room:remembered");
  expect(remembered).toMatchObject({ token: expect.stringMatching(/^pp_/), expiresAt: null });
  const own = grants.list().find(({ madeBy }) => madeBy === grant.id);
  expect(own).toMatchObject({ role: "edit", session: false, label: "Ana (ana): this browser" });
  const tomorrow = come(own?.id ?? "");
  hello(tomorrow, "Ana");
  expect(hub.isWaiting(tomorrow)).toBe(false);
  expect(tomorrow.received("room:you").at(-1)).toMatchObject({ remembered: true });
  // Another browser with the same token has to wait.
  const thief = come(own?.id ?? "");
  hello(thief, "Mallory");
  expect(hub.isWaiting(thief)).toBe(true);
  // Remembering twice gives one link.
  ana.say({ type: "room:remember", origin: "https://relay.example.com" });
  await settled();
  expect(grants.list().filter(({ madeBy }) => madeBy === grant.id)).toHaveLength(1);
  grants.revoke(grant.id);
  expect(grants.list()).toEqual([]);
});

test("PE54 forgetting a browser ends the link that it kept, and no other browser's", async () => {
  const { come, enter, mint, grants } = peopleRoom();
  const { grant } = mint({ label: "team" });
  const [ana, ben] = [enter(grant.id), enter(grant.id)];
  for (const [guest, name] of [
    [ana, "Ana"],
    [ben, "Ben"],
  ] as const) {
    hello(guest, name);
    guest.say({ type: "room:remember", origin: "https://relay.example.com" });
  }
  await settled();
  const findOwn = (name: string) =>
    grants.list().find(({ label }) => label.startsWith(name))?.id ?? "none";
  const [own, other] = [findOwn("Ana"), findOwn("Ben")];
  const tomorrow = come(own);
  hello(tomorrow, "Ana");
  // From the page of another link, for all pages of that browser.
  ana.say({ type: "room:forget" });
  expect(ana.received("room:forgotten")).toHaveLength(1);
  expect(tomorrow.closed).toEqual(["revoked"]);
  expect(grants.list().map(({ id }) => id)).toEqual([grant.id, other]);
  const later = come(other);
  hello(later, "Ben");
  later.say({ type: "room:forget" });
  expect(later.messages.at(-1)).toEqual({ type: "room:forgotten" });
  expect(later.closed).toEqual(["revoked"]);
  expect(grants.list().map(({ id }) => id)).toEqual([grant.id]);
});

test("PE52 nothing is remembered on loopback, on quick tunnels and without encryption", async () => {
  for (const origin of [
    "http://127.0.0.1:8787",
    "http://localhost:8787",
    "http://[::1]:8787",
    "https://localhost",
    "https://a-b-c.trycloudflare.com",
    "https://1234.ngrok-free.app",
    "https://x.lhr.life",
    "http://relay.example.com",
    "",
  ]) {
    expect(getNotKeptReason(origin), origin).toBeDefined();
  }
  expect(getNotKeptReason("https://relay.example.com")).toBeUndefined();
  expect(getNotKeptReason("https://host.tail1234.ts.net")).toBeUndefined();
  expect(getNotKeptReason("https://nottrycloudflare.com")).toBeUndefined();
  const { enter, mint, grants } = peopleRoom();
  const ana = enter(mint().grant.id);
  hello(ana, "Ana");
  ana.say({ type: "room:remember", origin: "https://a.trycloudflare.com" });
  await settled();
  expect(ana.received("room:error").at(-1)).toMatchObject({ code: "forbidden" });
  expect(grants.list()).toHaveLength(1);
});

test("PE52 the relay's own address decides, whatever a client says of its origin", async () => {
  const { enter, mint, grants } = peopleRoom({ origin: "http://127.0.0.1:8787" });
  const ana = enter(mint().grant.id);
  hello(ana, "Ana");
  ana.say({ type: "room:remember", origin: "https://relay.example.com" });
  await settled();
  expect(ana.received("room:error").at(-1)).toMatchObject({ code: "forbidden" });
  expect(grants.list()).toHaveLength(1);
});

test("PE53 who is kept to watching is not remembered", async () => {
  const { enter, mint, grants, hosting } = peopleRoom();
  const ben = enter(mint().grant.id);
  const ana = enter(mint({ label: "ana" }).grant.id);
  hosting.setRole(ben, "ana", "view");
  hello(ana, "Ana");
  ana.say({ type: "room:remember", origin: "https://relay.example.com" });
  await settled();
  expect(ana.received("room:error").at(-1)).toMatchObject({ code: "forbidden" });
  expect(grants.list()).toHaveLength(2);
});

test("PE50 who is sent away loses the link that the browser kept", async () => {
  const { enter, come, mint, grants, hosting } = peopleRoom();
  const { grant } = mint({ label: "ana" });
  const ana = enter(grant.id);
  hello(ana, "Ana");
  ana.say({ type: "room:remember", origin: "https://relay.example.com" });
  await settled();
  const own = grants.list().find(({ device }) => device !== undefined)?.id ?? "";
  const second = come(own);
  hello(second, "Ana");
  const ben = enter(mint().grant.id);
  expect(hosting.remove(ben, "Ana")).toMatchObject({ ok: true });
  expect([ana.closed[0], second.closed[0]]).toEqual(["sent away", "sent away"]);
  expect(grants.lookUp(own)).toBeUndefined();
  expect(grants.lookUp(grant.id)).toBeDefined();
});

test("FR21 FR22 FR23 who may share makes agents' tokens, as pairpty connect does, that end with the link; who knocks makes none", async () => {
  const { come, mint, grants } = peopleRoom();
  const own = mint({ mayShare: true, expiresAt: 9_000_000 }).grant;
  const ana = come(own.id);
  const request = { type: "room:share", role: "agent", label: "codex", expiresInMs: 90_000_000 };
  ana.say(request);
  await expect.poll(() => ana.received("room:shared")).toHaveLength(1);
  const made = grants.list().find(({ role }) => role === "agent");
  expect(made).toMatchObject({
    scopes: DEFAULT_SCOPES,
    spawnApproval: "unknown",
    label: "codex",
    expiresAt: 9_000_000,
    madeBy: own.id,
  });
  grants.revoke(own.id);
  expect(grants.list().filter(({ role }) => role === "agent")).toEqual([]);
  const plain = come(mint().grant.id);
  plain.say(request);
  await expect.poll(() => plain.received("room:error")).toHaveLength(1);
  const gus = come(mint({ mayShare: true, knock: true }).grant.id, { wasIn: true });
  gus.say({ type: "room:hello" });
  gus.say(request);
  await expect.poll(() => gus.received("room:error")).toHaveLength(1);
  expect(grants.list().filter(({ role }) => role === "agent")).toEqual([]);
});

test("PE67 a page hears that its link is the host's own, and others that theirs is not", () => {
  const { enter, mint } = peopleRoom({ isKnockOn: true });
  const host = enter(mint({ label: "the host", own: true }).grant.id);
  expect(host.received("room:you").at(-1)).toMatchObject({ own: true });
  const ben = peopleRoom();
  const guest = ben.enter(ben.mint({ label: "ben" }).grant.id);
  expect(guest.received("room:you").at(-1)).not.toHaveProperty("own");
});

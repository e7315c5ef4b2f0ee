import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { TOKEN_PATTERN } from "../../protocol/grant.ts";
import { parseValue } from "../../protocol/json.ts";
import { getDefaultLifetimeMs, parseDuration } from "./duration.ts";
import { GrantExpiry } from "./grant-expiry.ts";
import { GrantTable } from "./grant-table.ts";
import { createSealedLink } from "../sealed/new-link.ts";
import { generateKeyPair } from "../sealed/node-crypto.ts";
import type { SessionRecord } from "./grant-records.ts";
import { changeForRoom, grantsForRoom } from "./room-grants.ts";
import { formatToken, hashToken, newSecret } from "./token.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-grants-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const GRANT_REQUEST = { role: "edit", scopes: [], label: "x", session: false } as const;
const open = (now = () => 0) => new GrantTable(join(folder, "grants.json"), now);

test("G1 tokens have their form, differ, and are kept nowhere; the hash is", () => {
  const tokens = new Set(Array.from({ length: 500 }, () => formatToken(newSecret())));
  expect(tokens.size).toBe(500);
  for (const token of tokens) expect(token).toMatch(TOKEN_PATTERN);
  const { token } = open().mint({ ...GRANT_REQUEST, scopes: [], expiresAt: 10 });
  const file = join(folder, "grants.json");
  const kept = readFileSync(file, "utf8");
  expect(kept).not.toContain(token.slice(-32));
  expect(kept).toContain(hashToken(token));
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("C87 an agent's token without a label gets one, and another beside it its id; a link gets none", () => {
  const table = open();
  const mint = (role: "agent" | "edit", label = "") =>
    table.mint({ ...GRANT_REQUEST, scopes: [], role, label, expiresAt: 10 }).grant;
  const [first, second] = [mint("agent"), mint("agent")];
  expect([first.label, second.label]).toEqual(["agent link", `agent link ${second.id}`]);
  expect([mint("agent", "codex").label, mint("edit").label]).toEqual(["codex", ""]);
  table.revoke(first.id);
  expect(mint("agent").label).toBe("agent link");
});

test("G2 a grant is gone the moment it expires", () => {
  let now = 0;
  const table = open(() => now);
  const { grant } = table.mint({ ...GRANT_REQUEST, scopes: [], expiresAt: 1_000 });
  now = 999;
  expect(table.lookUp(grant.id)?.role).toBe("edit");
  now = 1_000;
  expect(table.lookUp(grant.id)).toBeUndefined();
  expect(table.list()).toEqual([]);
});

test("G3 durable grants are there after a restart, session grants are not unless adopted", () => {
  const table = open();
  const kept: unknown[] = [];
  table.onSessionChange((records) => kept.push(records));
  const durable = table.mint({ ...GRANT_REQUEST, scopes: [], expiresAt: 1_000 }).grant;
  const session = table.mint({
    ...GRANT_REQUEST,
    scopes: [],
    expiresAt: null,
    session: true,
  }).grant;
  const next = open();
  expect(next.list().map(({ id }) => id)).toEqual([durable.id]);
  expect(kept).toMatchObject([[{ id: session.id }]]);
  next.adoptSession([session]);
  expect(next.lookUp(session.id)?.session).toBe(true);
});

test("G18 a link that someone uses outlives any number of takeovers; of those that no one uses the last are kept", () => {
  let now = 0;
  let left: SessionRecord[] = [];
  const takeOver = () => {
    now += 1_000;
    const table = open(() => now);
    table.adoptSession(left);
    table.onSessionChange((records) => {
      left = JSON.parse(JSON.stringify(records));
    });
    const banner = Array.from({ length: 3 }, () => {
      const request = { ...GRANT_REQUEST, scopes: [], expiresAt: null, session: true };
      return table.mint(request).grant.id;
    });
    return { table, banner };
  };
  const first = takeOver();
  const [open1 = "", once = ""] = first.banner;
  for (const id of [open1, once]) expect(first.table.lookUp(id)).toBeDefined();
  for (let crash = 0; crash < 40; crash++) {
    const { table, banner } = takeOver();
    expect(table.lookUp(open1), `takeover ${crash}`).toBeDefined();
    // A person opens each banner's first link once.
    expect(table.lookUp(banner[0] ?? "")).toBeDefined();
    expect(table.list().length).toBeLessThanOrEqual(3 + 12 + 36);
  }
  const { table } = takeOver();
  expect(table.lookUp(first.banner[2] ?? "")).toBeUndefined();
  expect(table.lookUp(once)).toBeUndefined();
  expect(table.list().length).toBe(3 + 12 + 36);
});

test("G40 a takeover's own links replace those from before, which work on and end with them", () => {
  const before = open();
  const request = { ...GRANT_REQUEST, scopes: [], expiresAt: null, session: true };
  const host = { ...request, label: "the host", own: true } as const;
  const old = [before.mint(request).grant, before.mint(host).grant];
  const others = [
    before.mint({ ...request, role: "view" }).grant,
    before.mint({ ...request, label: "Ada" }).grant,
    before.mint({ ...request, local: "codex" }).grant,
  ];
  const next = open();
  next.adoptSession([...old, ...others]);
  const made = [next.mint(request).grant, next.mint(host).grant];
  for (const { id } of made) next.replaceEarlier(id);
  expect(old.map(({ id }) => next.lookUp(id)?.replacedBy)).toEqual(made.map(({ id }) => id));
  expect(others.map(({ id }) => next.lookUp(id)?.replacedBy)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  next.revoke(made[0]?.id ?? "");
  expect(old.map(({ id }) => next.lookUp(id) === undefined)).toEqual([true, false]);
});

test("G18 using a link is told to the pty host at once and then once a minute, not with every message", () => {
  let now = 0;
  const table = open(() => now);
  const { id } = table.mint({ ...GRANT_REQUEST, scopes: [], expiresAt: null, session: true }).grant;
  const events: (number | undefined)[] = [];
  table.onSessionChange(([record]) => events.push(record?.usedAt));
  for (now = 1_000; now < 130_000; now += 100) table.lookUp(id);
  expect(events).toEqual([1_000, 61_000, 121_000]);
});

test("G4 revoking tells the room once, and an unknown id is said to be unknown", () => {
  const table = open();
  const updates: unknown[] = [];
  const { grant } = table.mint({ ...GRANT_REQUEST, scopes: [], expiresAt: 1_000 });
  table.onEvent((event) => updates.push(changeForRoom(event)));
  expect(table.revoke(grant.id)).toBe(true);
  expect(table.revoke(grant.id)).toBe(false);
  expect(updates).toEqual([{ replace: false, add: [], remove: [grant.id] }]);
  expect(open().list()).toEqual([]);
});

test("G9 G22 a grant that runs out ends then: whoever listens is told once, and after a restart too", () => {
  vi.useFakeTimers({ now: 0 });
  const table = open(Date.now);
  const events: unknown[] = [];
  table.onEvent(({ event, grant: { label } }) => events.push([event, label]));
  const expiry = new GrantExpiry(table);
  const ends = { far: 3_600_000, near: 1_000, late: 5_000 };
  for (const [label, expiresAt] of Object.entries(ends))
    table.mint({ ...GRANT_REQUEST, scopes: [], label, expiresAt });
  table.mint({ ...GRANT_REQUEST, scopes: [], label: "session", expiresAt: 3_000, session: true });
  events.length = 0;
  vi.advanceTimersByTime(999);
  expect(events).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(events).toEqual([["expired", "near"]]);
  vi.advanceTimersByTime(2_000);
  expect(events.slice(1)).toEqual([["expired", "session"]]);
  expiry.dispose();
  vi.setSystemTime(6_000);
  const next = open(Date.now);
  next.onEvent(({ event, grant: { label } }) => events.push([event, label]));
  const later = new GrantExpiry(next);
  vi.advanceTimersByTime(0);
  expect(events.slice(2)).toEqual([["expired", "late"]]);
  vi.advanceTimersByTime(ends.far);
  expect(events.slice(3)).toEqual([["expired", "far"]]);
  expect(vi.getTimerCount()).toBe(0);
  later.dispose();
});

test("G10 the room is told of every grant but those of connections on this machine", () => {
  const table = open();
  const events: unknown[] = [];
  table.onEvent((event) => events.push(changeForRoom(event)));
  const people = table.mint({ ...GRANT_REQUEST, scopes: [], expiresAt: null, session: true }).grant;
  const here = table.mint({
    ...GRANT_REQUEST,
    scopes: [],
    expiresAt: null,
    session: true,
    connection: true,
  }).grant;
  table.revoke(here.id);
  expect(events).toEqual([expect.objectContaining({ remove: [] }), undefined, undefined]);
  expect(grantsForRoom([people, here])).toMatchObject({ replace: true, add: [{ id: people.id }] });
  expect(grantsForRoom([people, here]).add).toHaveLength(1);
});

/** The grants that a relay of version 0.1.0 accepts. */
const RelayOfBefore = z.object({
  replace: z.boolean(),
  add: z.array(
    z.object({
      id: z.string(),
      role: z.enum(["view", "edit", "agent"]),
      scopes: z.array(z.enum(["read", "spawn", "write"])).check(z.maxLength(3)),
      label: z.string().check(z.maxLength(80)),
      hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
      expiresAt: z.nullable(z.int()),
    }),
  ),
  remove: z.array(z.string()),
});

test("G11 G24 a relay of the version before reads what this bridge tells; no relay learns labels or scopes", () => {
  const table = open();
  const roles = ["view", "edit", "agent"] as const;
  for (const role of roles) {
    table.mint({ ...GRANT_REQUEST, role, scopes: ["read"], label: "Ana", expiresAt: null });
  }
  const update = grantsForRoom(table.list());
  const read = parseValue(RelayOfBefore, JSON.parse(JSON.stringify(update)));
  expect(read).toMatchObject({ ok: true, value: { add: roles.map((role) => ({ role })) } });
  expect(JSON.stringify(update)).not.toMatch(/Ana|"read"/);
  expect(update.add).toMatchObject([
    { doors: ["people", "http"], speaks: false },
    { doors: ["people", "http"], speaks: true },
    { doors: ["acp", "http"], speaks: false },
  ]);
});

test("G17 a file that cannot be read is said, and not overwritten", () => {
  const path = join(folder, "grants.json");
  writeFileSync(path, "{]");
  expect(open).toThrow(/cannot be read/);
  expect(readFileSync(path, "utf8")).toBe("{]");
});

test("C5 durations are a number and a unit", () => {
  expect(parseDuration("90s")).toBe(90_000);
  expect(parseDuration("2h")).toBe(7_200_000);
  expect(parseDuration("30d")).toBe(2_592_000_000);
  for (const bad of ["", "2", "h", "-1h", "0s", "1w", "1.5h", "99999d", "2h30m"]) {
    expect(parseDuration(bad), bad).toBeUndefined();
  }
});

test("G19 an Edit link lasts a day by default, a View link and an agent's token 30 days", () => {
  expect(getDefaultLifetimeMs("edit")).toBe(parseDuration("1d"));
  expect(getDefaultLifetimeMs("view")).toBe(parseDuration("30d"));
  expect(getDefaultLifetimeMs("agent")).toBe(parseDuration("30d"));
});

test("SE30 a sealed grant keeps its psk and the ticket's hash, and nothing that leads to the link", () => {
  const path = join(folder, "grants.json");
  const hostKey = generateKeyPair().publicKey;
  const table = new GrantTable(path, () => 0, {
    log: { error: () => {}, info: () => {} },
    seal: (secret) => createSealedLink({ ...secret, workspace: "calm-otter", hostKey }),
  });
  const request = { ...GRANT_REQUEST, scopes: [], expiresAt: 10 };
  const { grant, token, link } = table.mint({ ...request, sealed: true });
  expect(token).toMatch(TOKEN_PATTERN);
  const [, id, secret = ""] = link.split("_");
  expect(id).toBe(grant.id);
  expect(table.verify(token)?.id).toBe(grant.id);
  const stored = readFileSync(path, "utf8");
  expect(stored).toContain(grant.psk);
  for (const part of [secret, token.slice(-32)]) expect(stored).not.toContain(part);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const plain = table.mint(request);
  expect([plain.link, plain.grant.psk]).toEqual([plain.token, undefined]);
  // The record of the pty host has the psk, too: a bridge that takes over needs it.
  const kept: SessionRecord[][] = [];
  table.onSessionChange((records) => void kept.push(records));
  const session = table.mint({ ...request, session: true, sealed: true });
  expect(kept.at(-1)?.at(-1)?.psk).toBe(session.grant.psk);
  expect(table.endSealed()).toBe(2);
  expect(table.list().map((one) => one.id)).toEqual([plain.grant.id]);
});

test("SE30 a table of a plain room makes no sealed link, rather than a plain one", () => {
  const request = { ...GRANT_REQUEST, scopes: [], expiresAt: 10 };
  expect(() => open().mint({ ...request, sealed: true })).toThrow("no sealed links");
});

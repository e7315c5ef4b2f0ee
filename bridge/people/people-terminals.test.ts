// What people may do, over a pool that starts terminals when the test allows it.

import { expect, test } from "vitest";
import { toBytes, toText } from "../../protocol/text.ts";
import type { Caller, DoorName } from "../callers/caller.ts";
import type { SpawnResult } from "../terminals/pool.ts";
import { createControlCaller } from "../doors/control/control-server.ts";
import { describeTerminal } from "../terminals/terminal.ts";
import { MAX_RENAMES, RENAMES_WITHIN_MS, PeopleTerminals } from "./people-terminals.ts";
import { toPersonKey } from "./visitor.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { OneTerminal } from "../../test/support/modelled-room.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";

test("U1 J6 a terminal that starts while its link is revoked is ended, and its caller told that it has none", async () => {
  const closed: string[] = [];
  let made: (result: SpawnResult) => void = () => {};
  const terminal = poolTerminal();
  const people = new PeopleTerminals({
    get: (id) => (id === terminal.id ? terminal : undefined),
    running: () => [terminal],
    plan: () => ({
      ok: true,
      plan: {
        command: undefined,
        argv: ["/bin/sh"],
        cwd: "/",
        env: {},
        added: {},
        size: { cols: 80, rows: 24 },
        lane: "user",
        lifetime: "user",
        retain: undefined,
        isolation: "none",
        startedBy: undefined,
      },
    }),
    start: () =>
      new Promise((resolve) => {
        made = resolve;
      }),
    close: async ({ id }) => void closed.push(id),
    input: () => {},
    updateMeta: () => {},
    promote: () => {},
  });
  const caller = callerWith(createGrant("aaaaaaaaaa", { role: "edit" }), "http");
  const opening = people.open(caller, {});
  caller.revoke();
  made({ ok: true, terminal: describeTerminal(terminal) });
  expect(await opening).toMatchObject({ ok: false, code: "unauthorized" });
  expect(closed).toEqual([terminal.id]);
});

test("WT45 whoever closes a terminal is named to everyone: a person by name, this machine as the host", async () => {
  const closers: (string | undefined)[] = [];
  const terminal = poolTerminal();
  class Closing extends OneTerminal {
    override async close(_terminal: unknown, _reason: string, by?: string): Promise<void> {
      closers.push(by);
    }
  }
  const people = new PeopleTerminals(new Closing(terminal));
  const ben = callerWith(createGrant("bbbbbbbbbb", { role: "edit", label: "guest" }), "people");
  ben.status = { name: "Ben" };
  await people.close(ben, terminal);
  await people.close(
    createControlCaller(() => {}),
    terminal,
  );
  expect(closers).toEqual(["Ben (guest)", "the host"]);
});

test("D4 view links look and do not change; agents come in elsewhere; a gone grant may nothing", () => {
  const people = new PeopleTerminals(new OneTerminal(poolTerminal()));
  const view = callerWith(createGrant("vvvvvvvvvv", { role: "view" }), "people");
  const agent = callerWith(createGrant("aaaaaaaaaa"), "http");
  expect(people.denialReason(view, "look")).toBeUndefined();
  expect(people.denialReason(view, "change")).toContain("read-only");
  expect(people.denialReason(agent, "look")).toContain("MCP");
  view.revoke();
  expect(people.denialReason(view, "look")).toContain("revoked");
});

/** People's terminals over one that keeps what is typed into it. */
function typedInto() {
  const typed: string[] = [];
  const terminal = poolTerminal();
  const people = new PeopleTerminals(
    new (class extends OneTerminal {
      override input(_terminal: unknown, bytes: Uint8Array): void {
        typed.push(toText(bytes));
      }
    })(terminal),
  );
  return { people, terminal, typed };
}

test("D4 D22 U1 only an edit link types, only into the user's terminals, and nothing once its grant is gone", () => {
  const { people, terminal, typed } = typedInto();
  const edit = callerWith(createGrant("eeeeeeeeee", { role: "edit" }), "people");
  const view = callerWith(createGrant("vvvvvvvvvv", { role: "view" }), "people");
  const { id, meta } = terminal;
  const refusals = [
    people.type(edit, id, toBytes("one")),
    people.type(view, id, toBytes("two")),
    people.type(edit, "pty-000000", toBytes("three")),
  ];
  terminal.meta = { ...meta, owner: "agent" };
  refusals.push(people.type(edit, id, toBytes("four")));
  terminal.meta = meta;
  edit.revoke();
  refusals.push(people.type(edit, id, toBytes("five")));
  expect(refusals.map((one) => one?.error ?? "typed")).toEqual([
    "typed",
    expect.stringContaining("read-only"),
    "Session not found",
    expect.stringContaining("user terminals only"),
    expect.stringContaining("revoked"),
  ]);
  expect(typed).toEqual(["one"]);
});

test("WT80 who leaves in the middle of a paste, or may not type any more, leaves no program waiting for its end", () => {
  const { people, terminal, typed } = typedInto();
  const edit = callerWith(createGrant("eeeeeeeeee", { role: "edit" }), "people");
  people.type(edit, terminal.id, toBytes("\u001B[200~half"));
  edit.revoke();
  people.onLeft(edit);
  people.onLeft(edit);
  expect(typed).toEqual(["\u001B[200~half", "\u001B[201~"]);
});

test("GR4 GR18 GR21 an edit link renames a terminal for everyone; a view link, and a name that is none, are refused", () => {
  const terminal = poolTerminal();
  const pool = new OneTerminal(terminal);
  const events: (string | undefined)[] = [];
  pool.onEvent(({ terminal: { name } }) => events.push(name));
  const people = new PeopleTerminals(pool);
  const edit = callerWith(createGrant("eeeeeeeeee", { role: "edit" }), "people");
  const view = callerWith(createGrant("vvvvvvvvvv", { role: "view" }), "people");
  expect(people.rename(edit, terminal, "web server")).toBeUndefined();
  expect(people.rename(view, terminal, "mine")).toMatchObject({ code: "forbidden" });
  for (const name of [
    "a\nb",
    "\u001B[2J",
    "\u202Eevil",
    " around ",
    "x".repeat(61),
    "\u200B",
    "a\uD800",
  ])
    expect(people.rename(edit, terminal, name)).toMatchObject({ code: "bad_request" });
  // Repeating the same value sends no event.
  people.rename(edit, terminal, "web server");
  expect(describeTerminal(terminal).name).toBe("web server");
  people.rename(edit, terminal, "");
  expect(describeTerminal(terminal)).not.toHaveProperty("name");
  expect(events).toEqual(["web server", undefined]);
});

test("GR19 whoever renames in a loop is stopped, told for how long, and stops no one else", () => {
  const terminal = poolTerminal();
  const pool = new OneTerminal(terminal);
  const events: (string | undefined)[] = [];
  pool.onEvent(({ terminal: { name } }) => events.push(name));
  let now = 0;
  const link = createGrant("eeeeeeeeee", { role: "edit" });
  const ana = callerWith(link, "people");
  const ben = callerWith(link, "people");
  const people = new PeopleTerminals(pool, {
    toPersonKey: (caller) => (caller === ben ? "ben" : "ana"),
    now: () => now,
  });
  const refused = Array.from({ length: 300 }, (_, at) => people.rename(ana, terminal, `n${at}`));
  expect(events).toHaveLength(MAX_RENAMES);
  expect(refused.at(-1)).toMatchObject({
    code: "too_many",
    error: expect.stringContaining("again in 10 s"),
  });
  expect(people.rename(ben, terminal, "web server")).toBeUndefined();
  // An unchanged name does not count.
  expect(people.rename(ana, terminal, "web server")).toBeUndefined();
  now = RENAMES_WITHIN_MS - 1;
  expect(people.rename(ana, terminal, "mine")).toMatchObject({ code: "too_many" });
  now = RENAMES_WITHIN_MS;
  expect(people.rename(ana, terminal, "mine")).toBeUndefined();
});

test("GR20 two pages of a browser, and the verbs and terminals of this machine, count as one person", () => {
  const terminal = poolTerminal();
  const pool = new OneTerminal(terminal);
  const link = createGrant("eeeeeeeeee", { role: "edit" });
  const devices = new Map<Caller, string>();
  const people = new PeopleTerminals(pool, {
    toPersonKey: (caller) => {
      const device = devices.get(caller);
      const rest = {
        number: 7,
        looking: null,
        typing: undefined,
        typedAt: 0,
        receivesPresence: true,
        lastMessageAt: 0,
      };
      return toPersonKey(caller, { caller, device, ...rest });
    },
    now: () => 0,
  });
  const comes = (door: DoorName, device?: string) => {
    const caller = callerWith(link, door);
    if (device !== undefined) devices.set(caller, device);
    return caller;
  };
  const rename = (caller: Caller, name: string) => people.rename(caller, terminal, name)?.code;
  const first = comes("people", "abcdefgh-one");
  for (let at = 0; at < MAX_RENAMES; at++) expect(rename(first, `page ${at}`)).toBeUndefined();
  expect(rename(comes("people", "abcdefgh-one"), "other tab")).toBe("too_many");
  expect(rename(comes("people", "ijklmnop-two"), "other browser")).toBeUndefined();
  for (let at = 0; at < MAX_RENAMES; at++) {
    expect(rename(comes("control"), `verb ${at}`)).toBeUndefined();
  }
  expect(rename(comes("control"), "one more verb")).toBe("too_many");
  expect(rename(comes("terminal"), "its shell")).toBe("too_many");
});

test("GR27 an edit link keeps an agent's terminal as the user's; what an agent still needs stays its own", () => {
  const meta = { ...poolTerminal().meta, owner: "agent" as const, visible: false };
  const people = (terminal = poolTerminal({ meta })) => {
    const pool = new OneTerminal(terminal);
    return { terminal, people: new PeopleTerminals(pool) };
  };
  const edit = callerWith(createGrant("eeeeeeeeee", { role: "edit" }), "people");
  const view = callerWith(createGrant("vvvvvvvvvv", { role: "view" }), "people");
  const plain = people();
  expect(plain.people.promote(view, plain.terminal)).toMatchObject({ code: "forbidden" });
  expect(plain.terminal.meta.owner).toBe("agent");
  expect(plain.people.promote(edit, plain.terminal)).toBeUndefined();
  expect(plain.terminal.meta).toMatchObject({ owner: "user", visible: true });
  const steppedIn = { since: 0, grant: "g", label: "ana", peer: 3 };
  const conversation = { id: "c", limit: 1 };
  for (const part of [{ feed: true }, { steppedIn }, { conversation }]) {
    const other = people(poolTerminal({ meta: { ...meta, ...part } }));
    expect(other.people.promote(edit, other.terminal)).toMatchObject({ code: "forbidden" });
    expect(other.terminal.meta.owner).toBe("agent");
  }
});

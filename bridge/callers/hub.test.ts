// The hub between modelled doors and dialects: live grants, faults, prefixes, groups.

import { expect, test } from "vitest";
import { toBytes, toText } from "../../protocol/text.ts";
import { callerWith } from "../../test/support/caller.ts";
import { spoken } from "../../test/support/spoken.ts";
import type { Grant, GrantEvent } from "../grants/grant-table.ts";
import { createLog } from "../log.ts";
import type { Caller, CloseReason, Door, DoorName } from "./caller.ts";
import type { Audience, Dialect } from "./dialect-interface.ts";
import type { Message } from "./message-parsing.ts";
import type { Gate, GateVerdict } from "./gate.ts";
import { WAITING } from "./gate.ts";
import { Hub } from "./hub.ts";
import { ElevationGate } from "./elevation-gate.ts";

function createGrant(id: string, role: Grant["role"] = "edit"): Grant {
  return { id, role, scopes: [], label: id, hash: "", expiresAt: null, session: true };
}

/** Grants that the test ends at will. */
class Grants {
  readonly #living = new Map<string, Grant>();
  readonly #listeners = new Set<(event: GrantEvent) => void>();

  constructor(...ids: string[]) {
    for (const id of ids) this.#living.set(id, createGrant(id));
  }

  add(grant: Grant): void {
    this.#living.set(grant.id, grant);
  }

  lookUp(id: string): Grant | undefined {
    return this.#living.get(id);
  }

  onEvent(listener: (event: GrantEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  end(id: string, why: "revoked" | "expired"): void {
    const grant = this.#living.get(id);
    this.#living.delete(id);
    if (grant !== undefined)
      for (const listener of this.#listeners) listener({ event: why, grant });
  }

  get listeners(): number {
    return this.#listeners.size;
  }
}

function world(...ids: string[]) {
  const grants = new Grants(...ids);
  const logged: string[] = [];
  const gate = new ElevationGate({ code: "48217730", hasAgentCalled: false });
  const hub = new Hub(
    grants,
    createLog("info", (line) => void logged.push(line)),
    gate,
  );
  const batches: { door: DoorName; to: number; message: string }[] = [];
  const createDoor = (name: DoorName): Door => ({
    name,
    proof: "socket",
    sendAll: (callers, message) => void batches.push({ door: name, to: callers.length, message }),
  });
  const callerAt = (door: Door, grantId: string) => {
    const messages: string[] = [];
    const closed: CloseReason[] = [];
    const caller: Caller = {
      door,
      since: 0,
      grantId,
      grant: () => grants.lookUp(grantId),
      send: (message) => void messages.push(message),
      close: (dismissal) => void closed.push(dismissal),
    };
    return { caller, messages, closed, leave: hub.open(caller) };
  };
  const say = (caller: Caller, message: unknown) =>
    hub.handleMessage(
      caller,
      toBytes(typeof message === "string" ? message : JSON.stringify(message)),
    );
  return { hub, gate, grants, logged, batches, createDoor, callerAt, say };
}

/** A complete dialect, as a new one would be written. */
function echo(prefix: string, types: string[] = []): Dialect & { received: string[] } {
  const received: string[] = [];
  return {
    prefix,
    types,
    doors: ["people", "terminal", "http", "mcp"],
    received,
    onJoin: (caller) => void received.push(`joined ${caller.grantId}`),
    onLeave: (caller) => void received.push(`left ${caller.grantId}`),
    onMessage: ({ caller }, message) => {
      received.push(message.type);
      if (message["throws"] === true) throw new Error("on purpose");
      if (message["rejects"] === true) return Promise.reject(new Error("later"));
      caller.send(JSON.stringify({ type: `${prefix}echo`, of: message["text"] }));
      return undefined;
    },
    error: (code, error) => JSON.stringify({ type: `${prefix}error`, code, error }),
  };
}

test("U2 U12 a dialect is one registration: it gets the messages of its prefix and its single types", () => {
  const { hub, createDoor, callerAt, say } = world("a");
  const first = echo("one:");
  const second = echo("two_", ["two"]);
  hub.registerDialect(first);
  const end = hub.registerDialect(second);
  const { caller, messages } = callerAt(createDoor("people"), "a");
  say(caller, { type: "one:x", text: 1 });
  say(caller, { type: "two_x", text: 2 });
  say(caller, { type: "two", text: 3 });
  expect(first.received).toEqual(["joined a", "one:x"]);
  expect(second.received).toEqual(["joined a", "two_x", "two"]);
  expect(messages.map((text) => JSON.parse(text).of)).toEqual([1, 2, 3]);
  end();
  say(caller, { type: "two_x" });
  expect(JSON.parse(messages.at(-1) ?? "")).toMatchObject({
    type: "one:error",
    code: "bad_request",
  });
});

test("U2 what a dialect tells by itself begins and ends with its registration", () => {
  const { hub, createDoor, callerAt, batches } = world("a");
  let emit = (_message: string) => {};
  let ended = 0;
  const opened: Dialect["onRegister"] = (target) => {
    emit = (message) => target.send(message);
    return () => void (ended += 1);
  };
  const end = hub.registerDialect({ ...echo("one:"), onRegister: opened });
  callerAt(createDoor("people"), "a");
  emit("news");
  expect(batches).toEqual([{ door: "people", to: 1, message: "news" }]);
  end();
  expect(ended).toBe(1);
});

test.each(["look", "change"] as const)(
  "U2 a dialect for those who may %s is neither spoken nor heard by others",
  (act) => {
    const received: string[] = [];
    let audience: Audience | undefined;
    const { come, say, changed } = spoken({
      ...echo("one:"),
      requires: act,
      unavailableMessage: "Ask for another link",
      onJoin: ({ grantId }) => void received.push(`joined ${grantId}`),
      onRightsChange: ({ grantId }) => void received.push(`changed ${grantId}`),
      onLeave: ({ grantId }, why) => void received.push(`left ${grantId}, ${why}`),
      onRegister: (its) => {
        audience = its;
        return () => {};
      },
    });
    const agent = come({ role: "agent" });
    const viewer = come({ role: "view" });
    const isThere = audience?.hasMembers();
    const editor = come({ role: "edit" });
    audience?.send("news");
    const mayLook = act === "look";
    expect(isThere).toBe(mayLook);
    expect(audience?.hasMembers()).toBe(true);
    const all = [agent, viewer, editor];
    for (const caller of all) say(caller, { type: "one:x", text: "hello" });
    const error = '{"type":"one:error","code":"forbidden","error":"Ask for another link"}';
    const messages = ["news", '{"type":"one:echo","of":"hello"}'];
    expect(all.map((caller) => caller.messages)).toEqual([
      [error],
      mayLook ? messages : [error],
      messages,
    ]);
    for (const caller of all) changed(caller);
    editor.revoke();
    changed(editor);
    expect(received).toEqual([
      ...(mayLook ? ["joined grant2"] : []),
      "joined grant3",
      ...(mayLook ? ["changed grant2"] : []),
      "changed grant3",
      "left grant3, barred",
    ]);
  },
);

test("PE45 someone whose browser was limited is told that, and not to use another link", () => {
  const { come, say } = spoken({
    ...echo("one:"),
    requires: "change",
    unavailableMessage: "Ask for another link",
  });
  const limited = come({ role: "view" });
  limited.status = { limit: "view" };
  say(limited, { type: "one:x", text: "hello" });
  expect(limited.messages.at(-1)).toContain("This browser was limited to watching");
});

test("U10 someone who joined a dialect leaves it once: who never had the right leaves nothing, who is given it joins", () => {
  const { hub, createDoor } = world();
  const received: string[] = [];
  hub.registerDialect({
    ...echo("one:"),
    requires: "change",
    onJoin: () => void received.push("joined"),
    onRightsChange: () => void received.push("changed"),
    onLeave: (_caller, why) => void received.push(`left, ${why}`),
  });
  let role: Grant["role"] = "view";
  const caller: Caller = { ...callerWith(createGrant("a")), door: createDoor("people") };
  caller.grant = () => createGrant("a", role);
  const turn = (to: typeof role) => {
    role = to;
    hub.rightsChanged(caller);
    return received.splice(0);
  };
  hub.open(caller)();
  const leave = hub.open(caller);
  expect(received).toEqual([]);
  expect([turn("edit"), turn("edit"), turn("view"), turn("view")]).toEqual([
    ["joined"],
    ["changed"],
    ["left, barred"],
    [],
  ]);
  turn("edit");
  hub.announce(caller);
  leave();
  expect(received).toEqual(["joined", "left, gone"]);
});

test.each([
  ["the same prefix", "one:", []],
  ["a longer prefix", "one:more:", []],
  ["a shorter prefix", "on", []],
  ["a type below another's prefix", "two:", ["one:x"]],
  ["another's type", "two:", ["single"]],
  ["a prefix of another's type", "sin", []],
])(
  "U11 a dialect with %s is refused when it registers, and the first keeps its types",
  (...row) => {
    const [, prefix, types] = row;
    const { hub, createDoor, callerAt, say } = world("a");
    const first = echo("one:", ["single"]);
    hub.registerDialect(first);
    expect(() => hub.registerDialect(echo(prefix, types))).toThrow(
      `the dialect ${prefix} shares message types with one:`,
    );
    say(callerAt(createDoor("people"), "a").caller, { type: "one:x" });
    expect(first.received).toEqual(["joined a", "one:x"]);
  },
);

test("U2 at a door where it is not spoken a dialect hears no one and nothing", () => {
  const { hub, createDoor, callerAt, say } = world("a");
  const pages = {
    ...echo("one:"),
    doors: ["people"] as const,
    unavailableMessage: "Open the page",
  };
  hub.registerDialect(echo("zero:"));
  hub.registerDialect(pages);
  const local = callerAt(createDoor("terminal"), "a");
  say(local.caller, { type: "one:hello" });
  local.leave();
  expect(pages.received).toEqual([]);
  expect(local.messages.join()).toContain("Open the page");
  say(callerAt(createDoor("people"), "a").caller, { type: "one:hello" });
  expect(pages.received).toEqual(["joined a", "one:hello"]);
});

test("U14 what is no message of any dialect is answered, with what it was", () => {
  const { hub, createDoor, callerAt, say } = world("a");
  hub.registerDialect(echo("one:"));
  const { caller, messages } = callerAt(createDoor("people"), "a");
  for (const message of ["{", "[]", "null", '"x"', { type: 7 }, { type: "three:x".repeat(99) }]) {
    say(caller, message);
  }
  const errors = messages.map((text) => JSON.parse(text));
  expect(errors.every(({ type }) => type === "one:error")).toBe(true);
  expect(errors).toHaveLength(6);
  expect(errors.at(-1).error.length).toBeLessThan(100);
});

test.each(["people", "http", "mcp", "terminal"] as const)(
  "U1 U9 at the door %s a caller is closed when its grant is revoked or expires, and heard no more",
  (name) => {
    const { hub, grants, createDoor, callerAt, say } = world("a", "b", "c");
    const dialect = echo("one:");
    hub.registerDialect(dialect);
    const one = callerAt(createDoor(name), "a");
    const other = callerAt(createDoor(name), "b");
    const third = callerAt(createDoor(name), "c");
    grants.end("a", "revoked");
    grants.end("c", "expired");
    expect(one.closed).toMatchObject([{ why: "revoked" }]);
    expect(third.closed).toMatchObject([{ why: "expired" }]);
    expect(other.closed).toEqual([]);
    say(one.caller, { type: "one:x" });
    expect(dialect.received).not.toContain("one:x");
    expect(one.messages).toEqual([]);
    say(other.caller, { type: "one:x" });
    expect(dialect.received).toContain("one:x");
  },
);

test("U1 a caller that comes with a grant that is gone is sent away, and no dialect hears of it", () => {
  const { hub, createDoor, callerAt } = world();
  const dialect = echo("one:");
  hub.registerDialect(dialect);
  const { closed } = callerAt(createDoor("people"), "nobody");
  expect(closed).toHaveLength(1);
  expect(dialect.received).toEqual([]);
});

test("U3 a fault in a dialect costs its caller one error and the log one line; others go on", async () => {
  const { hub, logged, createDoor, callerAt, say } = world("a", "b");
  const dialect = echo("one:");
  hub.registerDialect(dialect);
  const one = callerAt(createDoor("people"), "a");
  const other = callerAt(createDoor("people"), "b");
  say(one.caller, { type: "one:x", throws: true });
  say(one.caller, { type: "one:x", rejects: true });
  say(other.caller, { type: "one:x", text: "still here" });
  await Promise.resolve();
  await Promise.resolve();
  const errors = one.messages.map((text) => JSON.parse(text));
  expect(errors).toMatchObject([{ code: "internal" }, { code: "internal" }]);
  expect(one.messages.join()).not.toContain("on purpose");
  expect(logged.join()).toContain("on purpose");
  expect(logged).toHaveLength(2);
  expect(other.messages).toHaveLength(1);
});

test("U3 a caller that cannot be closed, and a dialect that throws on joining, disturb no one", () => {
  const { hub, grants, createDoor, callerAt, say } = world("a", "b");
  const bad = { ...echo("bad:"), onJoin: () => expect.unreachable("thrown in joined") };
  const good = echo("one:");
  hub.registerDialect(bad);
  hub.registerDialect(good);
  const one = callerAt(createDoor("people"), "a");
  const other = callerAt(createDoor("people"), "b");
  expect(good.received).toEqual(["joined a", "joined b"]);
  one.caller.close = () => {
    throw new Error("no");
  };
  grants.end("a", "revoked");
  say(other.caller, { type: "one:x" });
  expect(good.received).toContain("one:x");
});

test("U4 the room's news go to those whom they are for, one batch a door; other doors hear nothing", () => {
  const { hub, batches, createDoor, callerAt } = world("a", "b", "c", "gone");
  const people = createDoor("people");
  const at = (door: Door, id: string) => callerAt(door, id);
  at(people, "a");
  at(people, "b");
  at(people, "nobody");
  at(createDoor("terminal"), "c");
  at(createDoor("mcp"), "a");
  at(createDoor("http"), "a");
  hub.broadcast("all");
  hub.broadcast("not b", (_caller, grant) => grant.id !== "b");
  hub.broadcast("nobody", () => false);
  expect(batches).toEqual([
    { door: "people", to: 2, message: "all" },
    { door: "terminal", to: 1, message: "all" },
    { door: "people", to: 1, message: "not b" },
    { door: "terminal", to: 1, message: "not b" },
  ]);
});

test("U3 U4 a door that fails to tell is one line of the log; the other doors are told", () => {
  const { hub, logged, batches, createDoor, callerAt } = world("a", "b");
  const broken: Door = {
    name: "terminal",
    proof: "socket",
    sendAll: () => {
      throw new Error("on purpose");
    },
  };
  callerAt(broken, "a");
  callerAt(createDoor("people"), "b");
  hub.broadcast("news");
  expect(batches).toEqual([{ door: "people", to: 1, message: "news" }]);
  expect(logged).toEqual([expect.stringContaining("on purpose")]);
});

test("U5 who is here is known at every door, until it leaves; leaving twice is once", () => {
  const { hub, createDoor, callerAt } = world("a", "b");
  const dialect = echo("one:");
  hub.registerDialect(dialect);
  const one = callerAt(createDoor("people"), "a");
  const other = callerAt(createDoor("mcp"), "b");
  expect(hub.listAdmitted()).toEqual([one.caller, other.caller]);
  one.leave();
  one.leave();
  expect(hub.listAdmitted()).toEqual([other.caller]);
  expect(dialect.received).toEqual(["joined a", "left a"]);
});

test("U5 a hub that is over listens to no grants", () => {
  const { hub, grants } = world("a");
  expect(grants.listeners).toBe(1);
  hub.dispose();
  expect(grants.listeners).toBe(0);
});

test("U13 U11 a request goes to the route of its path, and of everything below it where that has more", async () => {
  const { hub, createDoor, callerAt } = world("a");
  const { caller } = callerAt(createDoor("http"), "a");
  const serve = (name: string) => async () => new Response(name);
  hub.registerRoute({ path: "/mcp", requires: "nothing", serve: serve("mcp") });
  hub.registerRoute({
    path: "/pty",
    includesSubpaths: true,
    requires: "nothing",
    serve: serve("pty"),
  });
  for (const path of ["/mcp", "/pty/x"]) {
    expect(() => hub.registerRoute({ path, requires: "nothing", serve: serve("another") })).toThrow(
      `the path ${path} already has a route`,
    );
  }
  const ask = async (path: string) =>
    (await hub.request(caller, new Request(`http://bridge${path}`)))?.text();
  expect(await ask("/mcp")).toBe("mcp");
  expect(await ask("/mcp/x")).toBeUndefined();
  expect(await ask("/pty/spawn?x=1")).toBe("pty");
  expect(await ask("/ptyx")).toBeUndefined();
  expect(await ask("/")).toBeUndefined();
});

test("U13 a route serves those who have the right that it needs, by its request; others get forbidden", async () => {
  const { hub } = world();
  const served: string[] = [];
  const serve = async ({ grantId }: Caller, { method, url }: Request) => {
    served.push(`${grantId} ${method} ${new URL(url).pathname}`);
    return new Response();
  };
  for (const needs of ["nothing", "agent", "look", "change"] as const) {
    hub.registerRoute({ path: `/${needs}`, requires: needs, serve });
  }
  const byMethod = ({ method }: Request) => (method === "GET" ? "look" : "change");
  hub.registerRoute({ path: "/both", requires: byMethod, serve });
  const statuses = async (role: Grant["role"]) => {
    const caller = callerWith(createGrant(role, role), "http");
    hub.open(caller);
    const paths = ["/nothing", "/agent", "/look", "/change", "/both"];
    const asked = [...paths.map((path) => [path, "GET"]), ["/both", "POST"]];
    return await Promise.all(
      asked.map(async ([path, method = ""]) => {
        const answer = await hub.request(caller, new Request(`http://bridge${path}`, { method }));
        return answer?.status;
      }),
    );
  };
  expect(await statuses("agent")).toEqual([200, 200, 403, 403, 403, 403]);
  expect(await statuses("view")).toEqual([200, 403, 200, 403, 200, 403]);
  expect(await statuses("edit")).toEqual([200, 403, 200, 200, 200, 200]);
  // No other request reached a handler.
  expect(served).toHaveLength(2 + 3 + 5);
  const gone = callerWith(createGrant("gone"), "http");
  hub.open(gone);
  gone.revoke();
  const refused = await hub.request(gone, new Request("http://bridge/look"));
  expect(await refused?.json()).toEqual({
    code: "forbidden",
    error: "This link has expired or was revoked",
  });
});

test("U5 dialects hear of those who leave whom they heard come, and of no request", () => {
  const { hub, createDoor, callerAt } = world("a");
  const dialect = echo("one:");
  hub.registerDialect(dialect);
  callerAt(createDoor("http"), "a").leave();
  callerAt(createDoor("people"), "nobody").leave();
  expect(dialect.received).toEqual([]);
});

test("U2 a registration that is ended twice takes no one else's away", () => {
  const { hub, createDoor, callerAt, say } = world("a");
  const kept = echo("one:");
  hub.registerDialect(kept);
  const end = hub.registerDialect(echo("two:"));
  end();
  end();
  const { caller } = callerAt(createDoor("people"), "a");
  say(caller, { type: "one:x" });
  expect(kept.received).toContain("one:x");
});

test("Q40 AC114 the first call of an agent counts, at every door, before anything of it is served; people do not", () => {
  for (const name of ["people", "http", "terminal", "control"] as const) {
    const { grants, gate, createDoor, callerAt } = world();
    for (const role of ["edit", "view"] as const) {
      grants.add(createGrant(role, role));
      callerAt(createDoor(name), role);
    }
    callerAt(createDoor(name), "revoked");
    expect(gate.hasAgentCalled, name).toBe(false);
  }
  for (const name of ["http", "mcp", "acp"] as const) {
    const { grants, gate, createDoor, callerAt } = world();
    grants.add(createGrant("a", "agent"));
    callerAt(createDoor(name), "a");
    expect(gate.hasAgentCalled, name).toBe(true);
  }
});

test("Q44 what widens needs the code at sockets of this machine once an agent has called, and nowhere else", () => {
  const { hub, grants, createDoor, callerAt, say } = world("a");
  grants.add(createGrant("agent", "agent"));
  const doors = ["people", "terminal", "acp"] as const;
  const dialect = {
    ...echo("one:"),
    doors,
    requiresCode: ({ answer }: Message) => answer !== "deny",
  };
  hub.registerDialect(dialect);
  const here = callerAt(createDoor("terminal"), "a");
  const relay = callerAt(createDoor("people"), "a");
  const outcomes = (messages: string[]) => messages.splice(0).map((text) => JSON.parse(text).type);
  const yes = { type: "one:answer", answer: "once" };
  say(here.caller, yes);
  expect(outcomes(here.messages)).toEqual(["one:echo"]);
  const agent = callerAt(createDoor("acp"), "agent");
  say(here.caller, yes);
  say(here.caller, { ...yes, code: 48_217_730 });
  say(here.caller, { ...yes, code: "11111111" });
  expect(here.messages.map((text) => JSON.parse(text).code)).toEqual(Array(3).fill("forbidden"));
  here.messages.splice(0);
  say(agent.caller, yes);
  expect(agent.messages.map((text) => JSON.parse(text).code)).toEqual(["forbidden"]);
  say(here.caller, { ...yes, code: "48217730" });
  say(here.caller, { ...yes, answer: "deny" });
  say(relay.caller, yes);
  expect([outcomes(here.messages), outcomes(relay.messages)]).toEqual([
    ["one:echo", "one:echo"],
    ["one:echo"],
  ]);
});

test("L12 L22 a late message is not carried out, and its sender told, once a second for the same; harmless ones are", () => {
  const { hub, createDoor, callerAt } = world("one");
  const dialect = { ...echo("a:"), lateSafeTypes: ["a:attach"] };
  hub.registerDialect(dialect);
  const { caller, messages } = callerAt(createDoor("people"), "one");
  dialect.received.length = 0;
  const late = (message: object) =>
    hub.handleMessage(caller, toBytes(JSON.stringify(message)), true);
  for (let key = 0; key < 1_000; key++) late({ type: "a:input", id: "x" });
  late({ type: "a:input", id: "y" });
  late({ type: "a:attach", id: "x" });
  expect(dialect.received).toEqual(["a:attach"]);
  expect(messages.filter((message) => message.includes("host_asleep"))).toHaveLength(2);
  hub.handleMessage(caller, toBytes('{"type":"a:input"}'));
  expect(dialect.received).toEqual(["a:attach", "a:input"]);
});

test("U17 a caller is opened once every gate in turn has let it pass; before, only its gate gets its messages", () => {
  const { hub, createDoor, callerAt, say } = world("a");
  const dialect = echo("one:");
  hub.registerDialect(dialect);
  const asked: string[] = [];
  const gateOf = (name: string, verdict: GateVerdict): Gate => ({
    name,
    check: () => {
      asked.push(name);
      return verdict;
    },
    receive: (_caller, payload) => void asked.push(`${name} got ${toText(payload)}`),
    onLeave: () => void asked.push(`${name} left`),
  });
  const [first, second] = [gateOf("first", WAITING), gateOf("second", WAITING)];
  hub.addGate(first);
  hub.addGate(second);
  const { caller, messages, leave } = callerAt(createDoor("people"), "a");
  expect([asked, hub.isOpen(caller)]).toEqual([["first"], false]);
  say(caller, "x");
  hub.broadcast("news");
  hub.pass(caller, second);
  expect(asked).toEqual(["first", "first got x"]);
  hub.pass(caller, first);
  say(caller, { type: "one:x" });
  expect(asked.slice(2)).toEqual(["second", 'second got {"type":"one:x"}']);
  expect([messages, dialect.received]).toEqual([[], []]);
  hub.pass(caller, second);
  expect([hub.isOpen(caller), dialect.received]).toEqual([true, ["joined a"]]);
  leave();
  const { leave: leaveAgain } = callerAt(createDoor("people"), "a");
  leaveAgain();
  expect(asked.at(-1)).toBe("first left");
});

test("U17 a gate that refuses or throws closes the caller, which then gets nothing and is served nothing", async () => {
  for (const check of [
    (): GateVerdict => ({ is: "refused", reason: { why: "unproven", message: "no" } }),
    (): GateVerdict => {
      throw new Error("on purpose");
    },
  ]) {
    const { hub, createDoor, callerAt, say, batches } = world("a");
    const dialect = echo("one:");
    hub.registerDialect(dialect);
    hub.registerRoute({ path: "/x", requires: "nothing", serve: async () => new Response() });
    hub.addGate({ name: "no", check });
    const { caller, closed } = callerAt(createDoor("people"), "a");
    expect(closed).toHaveLength(1);
    say(caller, { type: "one:x" });
    hub.broadcast("news");
    hub.announce(caller);
    expect([dialect.received, batches, hub.listAdmitted()]).toEqual([[], [], []]);
    expect((await hub.request(caller, new Request("http://bridge/x")))?.status).toBe(401);
  }
});

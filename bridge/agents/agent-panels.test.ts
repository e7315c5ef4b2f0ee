// What agents may do with screens: where they may type, and what they see.

import { expect, test } from "vitest";
import { PERMIT } from "../../test/support/permit.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Meta } from "../terminals/terminal.ts";
import type { AgentPanelsDeps } from "./agent-panels.ts";
import { AgentPanels } from "./agent-panels.ts";

const AGENT = "agent00000";
const NOBODY = new AbortController().signal;
const OWN: Partial<Meta> = { owner: "agent", startedBy: { grant: AGENT, label: "" } };
const LET: Partial<Meta> = {
  agentsType: { grants: [{ grant: AGENT, label: "" }], by: "ada0000000", peer: 1 },
};

function world(meta: Partial<Meta>, request: Partial<Grant> = {}, allows = true) {
  const terminal = poolTerminal();
  terminal.meta = { ...terminal.meta, ...meta };
  const typed: string[] = [];
  const caller = callerWith(createGrant(AGENT, { scopes: ["read", "type"], ...request }));
  const view = {
    cols: 10,
    rows: 2,
    cursor: { x: 1, y: 0 },
    bufferType: "normal",
    lines: ["x  ", ""],
    wrapped: [false, false],
    title: "",
    offset: 3,
    timestamp: 0,
  } as const;
  const parts: AgentPanelsDeps = {
    pool: {
      get: (id) => (id === terminal.id ? terminal : undefined),
      input: (_terminal, bytes) => void typed.push(Buffer.from(bytes).toString()),
    },
    output: { watch: () => () => {} },
    panels: {
      find: () => ({ ok: false, code: "terminal_not_found", error: "none is active" }),
      readScreen: async () => ({ ok: false, code: "terminal_snapshot_timeout", error: "late" }),
      markUsed: () => {},
    },
    screens: {
      view: async () => ({ ...view, lines: [...view.lines], wrapped: [...view.wrapped] }),
      picture: async () => Buffer.from("png"),
    },
    typing: {
      requestPermit: async () =>
        allows ? { ok: true, value: PERMIT } : { ok: false, error: "denied" },
    },
    findSession: (owner, id) => (owner === AGENT && id === "term-1" ? terminal : undefined),
    findSubject: () => undefined,
    wantsApplicationKeys: async () => true,
    getFloor: () => "none",
  };
  const panels = new AgentPanels(parts);
  const write = (text: string, id = terminal.id) =>
    panels.write({ caller }, { terminalId: id }, text, NOBODY);
  return { panels, write, typed, caller, terminal };
}

test("Z22 Q40 an agent types into its own terminal and into one where a person lets it, and into no other", async () => {
  const own = world(OWN);
  expect(await own.write("hi<Enter>")).toMatchObject({ ok: true, value: { bytesWritten: 3 } });
  expect(await own.write("<Up>", "term-1")).toMatchObject({ ok: true });
  expect(own.typed).toEqual(["hi\r", "\u001bOA"]);
  expect(await world(LET).write("x")).toMatchObject({ ok: true });
  const others = world({});
  expect(await others.write("x")).toMatchObject({
    ok: false,
    error: expect.stringContaining("Alt+A"),
  });
  const anothers = world({ owner: "agent", startedBy: { grant: "another000", label: "" } });
  expect(await anothers.write("x")).toMatchObject({ ok: false });
  const promoted = world({ ...OWN, owner: "user" });
  expect(await promoted.write("x")).toMatchObject({ ok: false });
  expect([...others.typed, ...anothers.typed, ...promoted.typed]).toEqual([]);
});

test("Z62 what is judged and refused is not typed, nor what outlives its right meanwhile", async () => {
  const denied = world(OWN, {}, false);
  expect(await denied.write("x")).toEqual({ ok: false, error: "denied" });
  const late = world(LET);
  const writing = late.write("x");
  late.terminal.meta = { ...late.terminal.meta, agentsType: undefined };
  expect(await writing).toMatchObject({ ok: false });
  const revoked = world(OWN);
  const last = revoked.write("x");
  revoked.caller.revoke();
  expect(await last).toMatchObject({ ok: false });
  expect([...denied.typed, ...late.typed, ...revoked.typed]).toEqual([]);
});

test("I63 I65 while a person has stepped in nothing is typed, not even by who was asked about it before; an open panel is not asked", async () => {
  const steppedIn = { since: 3, grant: "ada0000000", label: "Ada", peer: 1 };
  const before = world({ ...OWN, steppedIn });
  const busy = { ok: false, error: expect.stringContaining("a person is typing") };
  expect(await before.write("x")).toEqual(busy);
  const late = world(OWN);
  const writing = late.write("<Up>");
  late.terminal.meta = { ...late.terminal.meta, steppedIn };
  expect(await writing).toEqual(busy);
  expect([...before.typed, ...late.typed]).toEqual([]);
  const client = { timeoutMs: 10 };
  const request = { terminalId: before.terminal.id, isPicture: false, client };
  expect(await before.panels.readScreen(before.caller, request, NOBODY)).toMatchObject({
    ok: false,
    error: expect.stringContaining("without source"),
  });
});

test("Z63 an agent behind a wall types into no terminal with a thinner one", async () => {
  const outside = world(LET, { isolation: "sandbox" });
  expect(await outside.write("x")).toMatchObject({
    ok: false,
    error: expect.stringContaining("sandbox"),
  });
  const inside = world({ ...LET, isolation: "container" }, { isolation: "sandbox" });
  expect(await inside.write("x")).toMatchObject({ ok: true });
  expect(inside.typed).toEqual(["x"]);
});

test("Z23 a screen is read by a terminal's id or a session's; a private one is not there", async () => {
  const { panels, caller, terminal } = world({});
  const read = await panels.readScreen(caller, { terminalId: "term-1", isPicture: true }, NOBODY);
  expect(read).toMatchObject({
    ok: true,
    value: { terminalId: terminal.id, snapshot: { lines: ["x", ""] }, png: Buffer.from("png") },
  });
  const own = await panels.readScreen(caller, { sessionId: "term-1", isPicture: false }, NOBODY);
  expect(own).toMatchObject({ ok: true, value: { terminalId: terminal.id } });
  const plain = await panels.readScreen(
    caller,
    { terminalId: terminal.id, isPicture: false },
    NOBODY,
  );
  expect(plain).not.toHaveProperty("value.png");
  terminal.meta = { ...terminal.meta, private: true };
  const hidden = await panels.readScreen(
    caller,
    { terminalId: terminal.id, isPicture: false },
    NOBODY,
  );
  expect(hidden).toEqual({ ok: false, error: "Terminal not found" });
  const active = await panels.readScreen(caller, { isPicture: false }, NOBODY);
  expect(active).toMatchObject({ ok: false, error: expect.stringContaining("terminal_not_found") });
});

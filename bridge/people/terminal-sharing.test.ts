// Sharing of a terminal: who gets messages about a private one, and who let agents type.

import { beforeEach, expect, test } from "vitest";
import type { Caller } from "../callers/caller.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { TestCaller } from "../../test/support/caller.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { toDevice, peopleRoom } from "../../test/support/people.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import type { Meta, PoolTerminal } from "../terminals/terminal.ts";
import type { TerminalSharingDeps } from "./terminal-sharing.ts";
import { TerminalSharing } from "./terminal-sharing.ts";

const TYPIST = createGrant("typist0000", { scopes: ["read", "type"], label: "editor's agent" });
const READER = createGrant("reader0000");

let terminal: PoolTerminal;
let ada: TestCaller;
let vic: TestCaller;
let messages: { who: string; message: string }[];
let detached: string[];
let notes: Partial<Meta>[];
beforeEach(() => {
  terminal = poolTerminal();
  ada = callerWith(createGrant("ada0000000", { role: "edit" }), "people");
  vic = callerWith(createGrant("vic0000000", { role: "view" }), "people");
  messages = [];
  detached = [];
  notes = [];
  pinnedTo.splice(0);
});

const pinnedTo: (string | undefined)[] = [];

function openness(grants: Grant[] = [TYPIST, READER]) {
  const seats = [ada, vic];
  const parts: TerminalSharingDeps = {
    pool: {
      running: () => [terminal],
      updateMeta: (noted, what) => {
        noted.meta = { ...noted.meta, ...what };
        notes.push(what);
      },
    },
    people: {
      denialReason: (caller) => (caller.grant()?.role === "edit" ? undefined : "read-only"),
    },
    viewers: {
      findByCaller: ({ grantId }) => ({
        number: seats.findIndex((seat) => seat.grantId === grantId),
      }),
      pinSize: (_terminal: PoolTerminal, size: object | undefined) =>
        void pinnedTo.push(JSON.stringify(size)),
      detachMatching: (_terminal, whom) => {
        for (const seat of seats) if (whom(seat)) detached.push(seat.grantId);
      },
    },
    hub: {
      broadcast: (message, isFor) => {
        for (const caller of seats) {
          const grant = caller.grant();
          if (grant && isFor?.(caller, grant) === true)
            messages.push({ who: caller.grantId, message });
        }
      },
    },
    grants: { list: () => grants },
  };
  return new TerminalSharing(parts);
}

test("Z55 of a terminal that becomes private a view link is told its end, and is detached", () => {
  terminal.meta = { ...terminal.meta, name: "a plan" };
  expect(openness().setPrivate(ada, terminal, true)).toBeUndefined();
  expect(terminal.meta.private).toBe(true);
  expect(detached).toEqual([vic.grantId]);
  expect(messages).toEqual([
    { who: vic.grantId, message: expect.stringContaining('"event":"closed"') },
  ]);
  expect(messages[0]?.message).not.toContain("a plan");
});

test("Z56 of one that is private no more a view link is told that it was created", () => {
  terminal.meta = { ...terminal.meta, private: true };
  expect(openness().setPrivate(ada, terminal, false)).toBeUndefined();
  expect(messages).toEqual([
    { who: vic.grantId, message: expect.stringContaining('"event":"created"') },
  ]);
  expect(messages[0]?.message).not.toContain('"private"');
  expect(detached).toEqual([]);
});

/** A room with one private terminal, whose people get the pty dialect's messages. */
function roomWithSecret() {
  const room = peopleRoom();
  terminal.meta = { ...terminal.meta, private: true, command: ["secret"], cwd: "/secret" };
  const open = openness();
  room.hub.registerDialect({
    prefix: "pty:",
    doors: ["people"],
    onMessage: () => {},
    error: () => "",
    onRightsChange: (caller, before) => open.onVisibilityChanged(caller, before),
  });
  const host = room.enter(room.mint().grant.id);
  const come = (role: "edit" | "view", { name = "Gus", wasIn = false } = {}) => {
    const guest = room.come(room.mint({ role }).grant.id, { wasIn });
    guest.say({ type: "room:hello", device: toDevice(name), name });
    return guest;
  };
  const setRole = (role: "edit" | "view") => room.hosting.setRole(host, "Gus", role);
  return { come, setRole };
}

test("Z59 a view link is told nothing of a private terminal, whatever the host makes of its rights", () => {
  const { come, setRole } = roomWithSecret();
  const gus = come("view");
  // The limit set through another page of the same browser.
  come("edit");
  expect(setRole("view")).toMatchObject({ ok: true });
  for (const guest of [gus, come("view"), come("view")]) {
    expect(guest.status?.limit).toBe("view");
    expect(guest.received("terminal")).toEqual([]);
  }
});

test("Z59 a view link that stayed over a restart says who it is, and is told nothing of a private terminal", () => {
  const { come, setRole } = roomWithSecret();
  come("edit");
  setRole("view");
  const stayed = come("view", { name: "Vic", wasIn: true });
  expect(stayed.received("room:you").at(-1)).not.toHaveProperty("limited");
  expect(stayed.received("terminal")).toEqual([]);
});

test("Z55 Z56 PE6 an edit link that loses the right to type is told that the terminal closed, and of it the id", () => {
  const { come, setRole } = roomWithSecret();
  const gus = come("edit");
  expect(gus.received("terminal")).toEqual([]);
  setRole("view");
  expect(gus.received("terminal")).toMatchObject([
    { event: "closed", terminal: { id: terminal.id } },
  ]);
  expect(JSON.stringify(gus.messages)).not.toContain("secret");
  setRole("edit");
  expect(gus.received("terminal").slice(1)).toMatchObject([
    { event: "created", terminal: { id: terminal.id, command: ["secret"] } },
  ]);
  setRole("edit");
  expect(gus.received("terminal")).toHaveLength(2);
});

test("Z20 Z21 Z61 neither is a view link's to do, nor for an agent's own terminal; twice is once", () => {
  const open = openness();
  expect(open.setPrivate(vic, terminal, true)).toMatchObject({ code: "forbidden" });
  expect(open.letAgentsType(vic, terminal, true)).toMatchObject({ code: "forbidden" });
  open.setPrivate(ada, terminal, true);
  open.setPrivate(ada, terminal, true);
  expect(notes).toHaveLength(1);
  terminal.meta = { ...terminal.meta, owner: "agent", private: false };
  expect(open.setPrivate(ada, terminal, true)).toMatchObject({ code: "forbidden" });
  expect(open.letAgentsType(ada, terminal, true)).toMatchObject({ code: "forbidden" });
});

test("Z21 agents whose token may type are named, or refused with how to make one", () => {
  const open = openness();
  expect(open.letAgentsType(ada, terminal, true)).toBeUndefined();
  expect(terminal.meta.agentsType).toEqual({
    grants: [{ grant: TYPIST.id, label: TYPIST.label }],
    by: ada.grantId,
    peer: 0,
  });
  expect(open.letAgentsType(ada, terminal, true, [READER.id])).toMatchObject({
    code: "bad_request",
    error: expect.stringContaining("--scopes read,spawn,type"),
  });
  open.letAgentsType(ada, terminal, false);
  expect(terminal.meta.agentsType).toBeUndefined();
});

test("Z60 Z61 it ends when the person who let them leaves, and with a terminal that becomes private", () => {
  const open = openness();
  open.letAgentsType(ada, terminal, true);
  open.onLeft(vic);
  expect(terminal.meta.agentsType).toBeDefined();
  open.onLeft(ada);
  expect(terminal.meta.agentsType).toBeUndefined();
  open.letAgentsType(ada, terminal, true);
  open.setPrivate(ada, terminal, true);
  expect(terminal.meta.agentsType).toBeUndefined();
  expect(open.letAgentsType(ada, terminal, true)).toMatchObject({ code: "forbidden" });
});

test("Z21 after a takeover only what the host itself let them do goes on", () => {
  const grants = [{ grant: TYPIST.id, label: "" }];
  terminal.meta = { ...terminal.meta, agentsType: { grants, by: ada.grantId, peer: 3 } };
  openness();
  expect(terminal.meta.agentsType).toBeUndefined();
  terminal.meta = { ...terminal.meta, agentsType: { grants, by: "thismachin", peer: null } };
  openness();
  expect(terminal.meta.agentsType).toBeDefined();
});

test("PE14 whoever may type pins a terminal's size, as it is or as given; View links do not", () => {
  const { pin } = pinning();
  expect(pin(vic, true)).toMatchObject({ ok: false, code: "forbidden" });
  expect(terminal.meta.pinned).toBeUndefined();
  expect(pin(ada, true)).toBeUndefined();
  expect(terminal.meta.pinned).toEqual({ cols: terminal.cols, rows: terminal.rows });
  expect(pin(ada, true, { cols: 120, rows: 40 })).toBeUndefined();
  expect(terminal.meta.pinned).toEqual({ cols: 120, rows: 40 });
  expect(pin(ada, false)).toBeUndefined();
  expect(terminal.meta.pinned).toBeUndefined();
  expect(pinnedTo.at(-1)).toBeUndefined();
});

function pinning() {
  const made = openness();
  return {
    pin: (who: Caller, on: boolean, size?: { cols: number; rows: number }) =>
      made.pin(who, terminal, on, size),
  };
}

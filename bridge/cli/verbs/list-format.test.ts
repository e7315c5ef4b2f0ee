import { expect, test } from "vitest";
import type { Terminal } from "../../../protocol/terminal.ts";
import { formatStatus, formatAccess, formatOwner, compareByNumber } from "./list-format.ts";

const USERS: Terminal = {
  id: "pty-abcdef",
  cwd: "/",
  owner: "user",
  visible: true,
  createdAt: 0,
};
const AGENTS: Terminal = { ...USERS, owner: "agent", visible: false, startedBy: "claude" };

test("C38 the list says whose a terminal is, which agent's, and who gets at it", () => {
  expect([USERS, AGENTS, { ...USERS, startedBy: "claude" }].map(formatOwner)).toEqual([
    "user",
    "agent claude",
    "user, from claude",
  ]);
  expect(formatOwner({ ...AGENTS, startedBy: "agent link" })).toBe("agent link");
  expect(formatAccess(USERS)).toBe("");
  expect(formatAccess({ ...USERS, private: true })).toBe("private");
  const agentsType = [
    { grant: "g1", label: "claude" },
    { grant: "g2", label: "" },
  ];
  expect(formatAccess({ ...USERS, agentsType })).toBe("claude, g2 can type");
  expect(formatAccess({ ...AGENTS, steppedIn: { label: "Ada", peer: 1 } })).toBe(
    "Ada has stepped in",
  );
  expect(formatAccess({ ...AGENTS, feed: true })).toBe("command output");
});

test("C38 terminals are listed by number; those of an older bridge, which have none, come last", () => {
  const listed = [{ number: 10 }, {}, { number: 2 }, { number: 1 }].toSorted(compareByNumber);
  expect(listed).toEqual([{ number: 1 }, { number: 2 }, { number: 10 }, {}]);
});

const status = {
  workspace: "w",
  folder: "/work",
  relay: "http://127.0.0.1:1",
  embedded: true,
  e2e: false,
  link: "up" as const,
  linkSince: 0,
  latency: { relayMs: 1, ptyHostMs: 1 },
  terminals: 15,
  terminalsBy: { user: 15, agent: 0 },
  grants: 0,
  grantsBy: { edit: 0, view: 0, agent: 0 },
  approvals: 0,
  pid: 1,
  startedAt: 0,
  version: "1",
  node: "20",
};

test("C8 someone who sees many terminals fits in a line", () => {
  const ids = Array.from({ length: 15 }, (_, at) => `pty-00000000000${at}`);
  const person = {
    peer: 1,
    grant: "g",
    label: "ana",
    role: "edit" as const,
    joinedAt: 0,
    who: "ana",
    roundTripMs: 1,
    sealed: false,
  };
  const shown = (attached: string[]) =>
    formatStatus({ ...status, people: [{ ...person, relayMs: 1, attached }] }, 1_000, 80);
  const lines = shown(ids).split("\n");
  expect(lines.at(-1)).toMatch(/ {2}15 terminals$/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(shown(ids.slice(0, 2))).toMatch(/pty-000000000000\s+pty-000000000001$/);
});

test("SE62 SE63 status says what is end-to-end encrypted, and marks what and whom the relay can read", () => {
  const person = {
    peer: 1,
    grant: "g",
    label: "ana",
    role: "edit" as const,
    joinedAt: 0,
    who: "ana",
    roundTripMs: 1,
    relayMs: 1,
    attached: [],
    sealed: true,
  };
  const people = [person, { ...person, label: "ben", sealed: false }];
  const shown = (facts: object) => formatStatus({ ...status, people, ...facts }, 1_000);
  const row = (facts: object) => /^encryption +(.*?) *$/m.exec(shown(facts))?.[1];
  expect(row({})).toBe("off; the relay is on this machine");
  expect(row({ embedded: false })).toBe("off: readable by the relay");
  const tunnel = { program: "cloudflared", up: true, address: "https://x.example" };
  expect(row({ tunnel })).toBe("off: readable by the relay");
  expect(shown({ embedded: false })).not.toMatch(/(ana|ben).*readable/);
  expect(row({ e2e: true, readable: { people: 0, agents: 0 } })).toBe("end-to-end encrypted");
  expect(row({ e2e: true, readable: { people: 2, agents: 1 } })).toBe(
    "end-to-end encrypted; readable by the relay: 2 plain tokens, 1 agent token",
  );
  const sealed = shown({ e2e: true, readable: { people: 1, agents: 0 } });
  expect(sealed).toMatch(/ben.* \(readable by the relay\)/);
  expect(sealed).not.toMatch(/ana.*readable/);
});

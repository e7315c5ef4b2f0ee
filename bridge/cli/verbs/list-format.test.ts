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
  };
  const shown = (attached: string[]) =>
    formatStatus({ ...status, people: [{ ...person, relayMs: 1, attached }] }, 1_000, 80);
  const lines = shown(ids).split("\n");
  expect(lines.at(-1)).toMatch(/ {2}15 terminals$/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(shown(ids.slice(0, 2))).toMatch(/pty-000000000000\s+pty-000000000001$/);
});

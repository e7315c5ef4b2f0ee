import { expect, test } from "vitest";
import type { Terminal } from "../../../protocol/terminal.ts";
import { formatAccess, formatOwner, compareByNumber } from "./terminal-columns.ts";

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

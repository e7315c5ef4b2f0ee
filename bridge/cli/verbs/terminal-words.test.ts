import { expect, test } from "vitest";
import type { Terminal } from "../../../protocol/terminal.ts";
import { accessText, ownerText, byNumber } from "./terminal-words.ts";

const USERS: Terminal = {
  id: "pty-abcdef",
  cwd: "/",
  owner: "user",
  visible: true,
  createdAt: 0,
};
const AGENTS: Terminal = { ...USERS, owner: "agent", visible: false, startedBy: "claude" };

test("C38 the list says whose a terminal is, which agent's, and who gets at it", () => {
  expect([USERS, AGENTS, { ...USERS, startedBy: "claude" }].map(ownerText)).toEqual([
    "user",
    "agent claude",
    "user, from claude",
  ]);
  expect(ownerText({ ...AGENTS, startedBy: "agent link" })).toBe("agent link");
  expect(accessText(USERS)).toBe("");
  expect(accessText({ ...USERS, private: true })).toBe("private");
  const agentsType = [
    { grant: "g1", label: "claude" },
    { grant: "g2", label: "" },
  ];
  expect(accessText({ ...USERS, agentsType })).toBe("claude, g2 can type");
  expect(accessText({ ...AGENTS, steppedIn: { label: "Ada", peer: 1 } })).toBe(
    "Ada has stepped in",
  );
  expect(accessText({ ...AGENTS, feed: true })).toBe("command output");
});

test("C38 terminals are listed by number; those of an older bridge, which have none, come last", () => {
  const listed = [{ number: 10 }, {}, { number: 2 }, { number: 1 }].toSorted(byNumber);
  expect(listed).toEqual([{ number: 1 }, { number: 2 }, { number: 10 }, {}]);
});

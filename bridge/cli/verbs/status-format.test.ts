import { expect, test } from "vitest";
import { formatStatus } from "./status-format.ts";

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

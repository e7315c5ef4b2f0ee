import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { AuditRow } from "../../protocol/audit.ts";
import { toAction, NO_FILTER, foldRepeats, concernsAgents, matches } from "./audit-actions.ts";

const row = (part: Partial<AuditRow>): AuditRow => ({
  at: "2026-01-01T10:00:00.000Z",
  event: "call",
  label: "claude",
  ...part,
});

test("GR7 each line of the log is a deed: who, what kind, about what, and what came of it", () => {
  const toActions = (part: Partial<AuditRow>) => {
    const { who, kind, what, subject, result, outcome } = toAction(row(part));
    return [who, kind, what, subject, result, outcome];
  };
  expect(toActions({ tool: "bash", arguments: { command: "ls -l" }, outcome: "ok" })).toEqual([
    "claude",
    "call",
    "bash",
    "ls -l",
    "",
    "done",
  ]);
  expect(toActions({ tool: "bash", outcome: "There is no such folder", label: "" })).toEqual([
    "this machine",
    "call",
    "bash",
    "",
    "There is no such folder",
    "refused",
  ]);
  expect(
    toActions({
      event: "verdict",
      verdict: "dangerous",
      arguments: { command: ["rm", "-rf", "x"] },
    }),
  ).toEqual(["claude", "command", "judged", "rm -rf x", "dangerous", "done"]);
  expect(toActions({ event: "approval asked", verdict: "unknown" })[5]).toBe("asked");
  expect(toActions({ event: "approval denied", outcome: "deny: no" }).slice(1)).toEqual([
    "approval",
    "denied",
    "",
    "deny: no",
    "refused",
  ]);
  const allowed = { event: "approval allowed", verdict: "blocked", outcome: "once" };
  expect(toActions(allowed).slice(4)).toEqual(["blocked by default · once", "done"]);
  expect(toActions({ event: "verdict", verdict: "blocked" }).slice(4)).toEqual([
    "blocked",
    "refused",
  ]);
  const by = { label: "team", name: "Ada", door: "people" };
  const answered = (event: string, more: object) =>
    toActions({ event, label: "reviewer", arguments: { command: "make", by: { ...by, ...more } } });
  expect(answered("approval allowed", {}).slice(0, 4)).toEqual([
    "reviewer",
    "approval",
    "allowed by Ada (team)",
    "make",
  ]);
  expect(answered("approval denied", { name: undefined })[2]).toBe("denied by team");
  expect(toActions({ event: "approval expired", arguments: { by: "?" } })[2]).toBe("expired");
  expect(
    toActions({ event: "terminal closed", terminal: "pty-1", label: "", grant: "g1" }),
  ).toEqual(["a person", "terminal", "closed", "", "", "done"]);
  expect(
    toActions({ event: "terminal created", label: "", arguments: { owner: "agent" } })[0],
  ).toBe("an agent");
  const changed = (event: string, value: object) =>
    toActions({ event, label: "Ada (team)", arguments: { ...value, by } }).slice(0, 4);
  expect(changed("terminal renamed", { name: "web server" })).toEqual([
    "Ada (team)",
    "terminal",
    "renamed",
    "web server",
  ]);
  expect(changed("terminal lets agents type", { agents: ["pi", "cursor"] })[3]).toBe("pi cursor");
  expect(changed("terminal unpinned", {})[3]).toBe("");
  expect(toActions({ event: "stepped in" })[1]).toBe("person");
  expect(toActions({ event: "grant revoked" }).slice(1, 3)).toEqual(["token", "revoked"]);
  expect(toActions({ event: "something new" }).slice(1, 3)).toEqual(["other", "something new"]);
});

test("GR30 filters by agent, kind, outcome and words; nothing that a log says breaks the page", () => {
  const deed = toAction(row({ tool: "bash", arguments: { command: "npm test" }, outcome: "ok" }));
  const by = (part: object) => matches(deed, { ...NO_FILTER, ...part });
  expect([by({}), by({ who: "claude" }), by({ who: "pi" })]).toEqual([true, true, false]);
  expect([by({ kind: "call" }), by({ kind: "approval" })]).toEqual([true, false]);
  expect([by({ outcome: "done" }), by({ outcome: "refused" })]).toEqual([true, false]);
  expect([by({ text: "TEST npm" }), by({ text: "npm run" })]).toEqual([true, false]);
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.anything(),
      fc.string(),
      (at, event, given, outcome) => {
        const made = toAction({ at, event, arguments: given, outcome });
        expect(typeof made.subject).toBe("string");
      },
    ),
  );
});

test("GR32 the same thing again and again is one line with a count, and none is lost", () => {
  const calls = (...tools: string[]) =>
    tools.map((tool, at) => toAction(row({ tool, at: `${at}` })));
  expect(
    foldRepeats(calls("a", "a", "b", "a")).map(({ what, count, at }) => [what, count, at]),
  ).toEqual([
    ["a", 2, "1"],
    ["b", 1, "2"],
    ["a", 1, "3"],
  ]);
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b")), (tools) => {
      const counts = foldRepeats(calls(...tools)).map(({ count }) => count);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(tools.length);
    }),
  );
});

test("GR29 only what agents did, or someone did about agents, is a deed of theirs", () => {
  const is = (event: string, given: Record<string, unknown> = {}) =>
    concernsAgents({ at: "", event, arguments: given });
  for (const event of ["call", "verdict", "approval asked", "approval denied", "stepped in"])
    expect([event, is(event)]).toEqual([event, true]);
  expect(is("grant created", { role: "agent" })).toBe(true);
  expect(is("grant created", { role: "edit" })).toBe(false);
  expect(is("links ended")).toBe(false);
  expect(is("person let in")).toBe(false);
  expect(is("terminal created", { owner: "agent" })).toBe(true);
  expect(is("terminal created", { owner: "user" })).toBe(false);
  expect(is("terminal promoted", { owner: "user" })).toBe(true);
  expect(is("terminal lets agents type", { agents: ["claude"] })).toBe(true);
  expect(is("terminal renamed", { name: "web" })).toBe(false);
});

// An agent's question on a terminal: whole, marked, and unable to pass for anything else.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Approval } from "../../../protocol/approval.ts";
import { formatCard, describeAnswers, formatSettled } from "./approval-card.ts";
import { anyCharacter } from "../../../test/support/any-character.ts";

const same = (text: string) => text;
const WISH = {
  columns: 80,
  rows: 40,
  ascii: false,
  paint: { bold: same, red: same, yellow: same },
};

const APPROVAL: Approval = {
  id: "fj3k2a",
  kind: "command",
  agent: { grant: "aaaaaaaaaa", label: "codex" },
  via: "bash",
  command: "git clean -fdx",
  cwd: "/home/ada/project",
  verdict: "dangerous",
  why: ["`git clean -fdx` deletes untracked files", "pattern: clean -f"],
  isolation: "none",
  offers: ["once", "session", "prefix", "deny"],
  rule: "git clean …",
  askedAt: 0,
  expiresAt: null,
};

test("C36 a question says who wants what, where, behind which wall, and why it is asked", () => {
  expect(formatCard(APPROVAL, WISH)).toEqual({
    isWhole: true,
    lines: [
      "  codex wants to run a command (bash, isolation none) in /home/ada/project",
      "  │ git clean -fdx",
      "  dangerous: `git clean -fdx` deletes untracked files",
      "  pattern: clean -f",
    ],
  });
  const words = formatCard({ ...APPROVAL, command: ["sh", "-c", "a b", ""] }, WISH).lines;
  expect(words[1]).toBe("  │ sh -c 'a b' ''");
  const asked = { ...APPROVAL, agent: { grant: "aaaaaaaaaa", label: "" } };
  expect(formatCard(asked, WISH).lines[0]).toContain("aaaaaaaaaa wants to run");
});

test("Q104 a card shows the gravest reason and its notes, and where the other reasons are", () => {
  const moreCommand = "pairpty approvals fj3k2a";
  const asked = { ...APPROVAL, why: ["a", "b", "c", "its input: x"], notes: ["its input: x"] };
  expect(formatCard(asked, { ...WISH, moreCommand }).lines.slice(2)).toEqual([
    "  dangerous: a",
    "  its input: x",
    "  2 more reasons: `pairpty approvals fj3k2a`",
  ]);
  expect(formatCard(asked, WISH).lines.slice(2)).toEqual([
    "  dangerous: a",
    "  b",
    "  c",
    "  its input: x",
  ]);
  const alone = { ...asked, why: ["its input: x"] };
  expect(formatCard(alone, { ...WISH, moreCommand }).lines.slice(2)).toEqual([
    "  dangerous",
    "  its input: x",
  ]);
});

test("C101 what is too long says so, and that it is not whole", () => {
  const command = Array.from({ length: 50 }, (_, line) => `echo ${line}`).join("\n");
  const { lines, isWhole } = formatCard({ ...APPROVAL, command }, WISH);
  expect(isWhole).toBe(false);
  expect(lines[41]).toBe("  10 more lines not shown");
});

test("C100 whatever an agent writes, its lines are marked, fit the window and steer nothing", () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 200 });
  const nasty = fc.oneof(text, fc.constant("\u001B[2J\u001B]0;x\u0007\r\n  y once \u202E\u200B"));
  fc.assert(
    fc.property(
      nasty,
      nasty,
      nasty,
      fc.integer({ min: 8, max: 120 }),
      (line, word, label, columns) => {
        const command = columns % 2 === 0 ? line : [line, word];
        const asked = {
          ...APPROVAL,
          command,
          cwd: word,
          why: [label],
          agent: { grant: "g", label },
        };
        const { lines } = formatCard(asked, { ...WISH, columns, rows: 10_000 });
        const all = lines.join("");
        expect(all).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        const marked = lines.filter((one) => /^ *│ /.test(one));
        const widest = Math.max(...marked.map((one) => Array.from(one).length));
        expect(widest).toBeLessThanOrEqual(Math.max(columns, 4));
        expect(marked.length).toBeGreaterThanOrEqual(1);
      },
    ),
    { numRuns: 60 },
  );
});

test("C36 only what is offered is offered, with the rule that it would make", () => {
  expect([...describeAnswers(APPROVAL)].map(([word, means]) => `${word}: ${means}`)).toEqual([
    "once: once",
    "session: always, for this agent's session",
    "prefix: every `git clean …`",
    "deny: deny",
  ]);
  expect([...describeAnswers({ offers: ["once", "deny"] }).keys()]).toEqual(["once", "deny"]);
});

test("C99 what came of a question is told with who answered", () => {
  const settled = { type: "approval:settled", id: "fj3k2a" } as const;
  const ada = { label: "edit link", name: "Ada", door: "people" };
  expect(formatSettled({ ...settled, outcome: "allowed", by: ada, answer: "session" })).toBe(
    "approval fj3k2a was allowed by Ada (edit link), session",
  );
  const reason = "not\u001B[2J today";
  expect(formatSettled({ ...settled, outcome: "denied", by: ada, answer: "deny", reason })).toBe(
    String.raw`approval fj3k2a was denied by Ada (edit link): not\u001b[2J today`,
  );
  expect(formatSettled({ ...settled, outcome: "expired" })).toBe("approval fj3k2a has expired");
});

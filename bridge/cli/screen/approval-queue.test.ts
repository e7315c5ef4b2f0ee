// Agents' questions on the first screen, as a state machine with a clock that the test moves.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Approval } from "../../../protocol/approval.ts";
import type { ApprovalActions } from "./approval-queue.ts";
import { ApprovalQueue } from "./approval-queue.ts";

function createApproval(id: string, offers: Approval["offers"] = ["once", "deny"]): Approval {
  return {
    id,
    kind: "command",
    agent: { grant: "aaaaaaaaaa", label: "codex" },
    via: "bash",
    command: id,
    cwd: "/",
    verdict: "unknown",
    why: [],
    isolation: "none",
    offers,
    askedAt: 0,
    expiresAt: null,
  };
}

const settledBy = (id: string) =>
  ({
    type: "approval:settled",
    id,
    outcome: "allowed",
    by: { label: "Ada", door: "people" },
  }) as const;

function screen({ isWhole = true } = {}) {
  const did: string[] = [];
  let now = 0;
  const actions: ApprovalActions = {
    show: ({ id }, behind) => {
      did.push(`show ${id} +${behind}`);
      return isWhole;
    },
    showWaiting: (behind) => did.push(`+${behind} wait`),
    answer: (id, word, reason) => {
      did.push(`${word} ${id}${reason === undefined ? "" : `: ${reason}`}`);
      questions.onSettled(settledBy(id));
    },
    showSettled: ({ id }) => did.push(`settled ${id}`),
    hint: (sentence) => did.push(sentence),
    askReason: () => did.push("why?"),
    echo: (text) => did.push(`+${text}`),
    erase: (text) => did.push(`-${text}`),
    endLine: () => did.push("line"),
    now: () => now,
  };
  const questions = new ApprovalQueue(actions);
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { questions, did, pass };
}

test("C35 C96 C97 a question is shown as it is asked, and the others one after the other, with how many wait", () => {
  const { questions, did, pass } = screen();
  for (const id of ["one", "two", "three"]) questions.add(createApproval(id));
  expect(did.splice(0)).toEqual(["show one +0", "+1 wait", "+2 wait"]);
  expect(questions.press("y")).toBe(true);
  expect(did.splice(0)).toEqual(["once one", "settled one", "show two +1"]);
  // The same finger, still on its way down.
  questions.press("y");
  expect(did.splice(0)).toEqual(["pressed too quickly: read it, then press again"]);
  pass(300);
  questions.press("y");
  pass(300);
  questions.press("y");
  expect(did.splice(0)).toEqual([
    "once two",
    "settled two",
    "show three +0",
    "once three",
    "settled three",
  ]);
  expect(questions.press("y")).toBe(false);
});

test("C94 C101 only what is offered counts, and what does not fit the screen whole is not allowed there", () => {
  const { questions, did, pass } = screen();
  questions.add(createApproval("one", ["once", "session", "prefix", "deny"]));
  expect(questions.press("x")).toBe(false);
  questions.press("p");
  pass(300);
  questions.add(createApproval("two", ["once", "deny"]));
  expect(did.splice(0)).toEqual(["show one +0", "prefix one", "settled one", "show two +0"]);
  for (const letter of ["a", "p"]) questions.press(letter);
  expect(did.splice(0)).toEqual([
    "a is not available for this one",
    "p is not available for this one",
  ]);
  const long = screen({ isWhole: false });
  long.questions.add(createApproval("long"));
  long.questions.press("y");
  expect(long.did[1]).toMatch(/does not fit in this window/);
  long.questions.press("n");
  long.questions.type("\r");
  expect(long.did.slice(2)).toEqual(["why?", "line", "deny long", "settled long"]);
});

test("C99 C95 C97 a question that someone else settles makes way; its key is not the next one's", () => {
  const { questions, did, pass } = screen();
  questions.add(createApproval("one"));
  questions.add(createApproval("two"));
  questions.onSettled(settledBy("unknown"));
  questions.onSettled(settledBy("one"));
  questions.press("y");
  expect(did.splice(0)).toEqual([
    "show one +0",
    "+1 wait",
    "settled one",
    "show two +0",
    "pressed too quickly: read it, then press again",
  ]);
  pass(300);
  questions.press("n");
  questions.type("no");
  questions.onSettled(settledBy("two"));
  expect(did).toEqual([
    "why?",
    "+n",
    "+o",
    "line",
    "settled two",
    "it was answered elsewhere while you typed: press Enter to continue",
  ]);
  // The rest of the reason is no command, until Enter.
  expect(questions.isTyping).toBe(true);
  questions.type("t now");
  expect(questions.isTyping).toBe(true);
  questions.type("\r");
  expect(questions.isTyping).toBe(false);
});

test("C94 C95 n asks for a reason: Enter ends it, nothing typed is no reason, Escape takes the no back", () => {
  const { questions, did, pass } = screen();
  const ask = (id: string) => {
    pass(300);
    questions.add(createApproval(id));
    questions.press("n");
    did.splice(0);
  };
  ask("one");
  questions.type("not on");
  pass(4_000);
  for (const key of ["\u001B[A", "\u0007", "x", "\u007F", " main\u202E", "\rrest"])
    questions.type(key);
  expect(did.splice(0).filter((what) => !/^[+-]/.test(what))).toEqual([
    "line",
    "deny one: not on main",
    "settled one",
  ]);
  ask("two");
  // However long somebody thinks, what they type then is their reason and no command.
  pass(60_000);
  expect([did, questions.isTyping]).toEqual([[], true]);
  questions.type("\r");
  expect(did.splice(0)).toEqual(["line", "deny two", "settled two"]);
  ask("three");
  questions.type("\u001B");
  expect(did.splice(0)).toEqual(["line", "not denied: the approval is still open"]);
  questions.press("n");
  questions.type("\u0003");
  questions.press("y");
  expect(did.slice(-2)).toEqual(["once three", "settled three"]);
});

test("C98 while another question has the keys nothing is shown, and what waits is shown behind it", () => {
  const { questions, did } = screen();
  questions.add(createApproval("one"));
  questions.hold("busy");
  questions.add(createApproval("two"));
  expect(questions.press("y")).toBe(false);
  questions.hold("away");
  questions.release("busy");
  expect(did.splice(0)).toEqual(["show one +0"]);
  questions.release("away");
  questions.release("away");
  expect(did).toEqual(["show one +1"]);
});

test("C35 whatever is pressed and whatever happens, only a question on the screen is answered", () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ is: fc.constant("asked" as const) }),
      fc.record({ is: fc.constant("settled" as const), at: fc.nat(3) }),
      fc.record({ is: fc.constant("press" as const), key: fc.constantFrom("y", "a", "p", "n") }),
      fc.record({ is: fc.constant("type" as const), key: fc.constantFrom("y", "\r", "\u001B") }),
      fc.record({ is: fc.constantFrom("hold" as const, "release" as const) }),
      fc.record({ is: fc.constant("pass" as const), ms: fc.constantFrom(1, 300, 4_000) }),
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(steps, (plan) => {
      const { questions, did, pass } = screen();
      let asked = 0;
      for (const step of plan) {
        if (step.is === "asked") questions.add(createApproval(`q${++asked}`));
        if (step.is === "settled") questions.onSettled(settledBy(`q${asked - step.at}`));
        if (step.is === "press") questions.press(step.key);
        if (step.is === "type" && questions.isTyping) questions.type(step.key);
        if (step.is === "hold") questions.hold("busy");
        if (step.is === "release") questions.release("busy");
        if (step.is === "pass") pass(step.ms);
      }
      let onScreen = "";
      for (const what of did) {
        const shown = /^show (\S+)/.exec(what)?.[1];
        if (shown !== undefined) onScreen = shown;
        const answered = /^(?:once|deny) (q\d+)/.exec(what)?.[1];
        if (answered !== undefined) expect(answered).toBe(onScreen);
      }
    }),
  );
});

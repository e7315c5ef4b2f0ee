import * as fc from "fast-check";
import { expect, test } from "vitest";
import { approval } from "../../test/support/approvals.ts";
import { Approvals } from "./approvals.ts";

function page() {
  const toasts: string[] = [];
  const approvals = new Approvals((text) => toasts.push(text));
  const ids = () => approvals.all.value.map(({ id }) => id);
  const ask = (id: string, askedAt = 1, part = {}) =>
    approvals.onRequested({
      type: "approval:requested",
      approval: approval({ id, askedAt, ...part }),
    });
  const open = (...all: string[]) => approvals.onOpen({ type: "approval:open", ids: all });
  const settle = (id: string, part = {}) =>
    approvals.onSettled({ type: "approval:settled", id, outcome: "denied", ...part });
  return { approvals, toasts, ids, ask, open, settle, front: () => approvals.front.value?.id };
}

test("Q60 questions stand in the order of asking; what someone reads stays in front", () => {
  const { approvals, ask, ids, front, settle } = page();
  ask("b", 2);
  ask("c", 3);
  expect(front()).toBe("b");
  // Arrives late, but was asked earlier.
  ask("a", 1);
  expect([ids(), front()]).toEqual([["a", "b", "c"], "b"]);
  approvals.step(1);
  expect(front()).toBe("c");
  approvals.step(1);
  expect(front()).toBe("a");
  settle("a");
  expect([ids(), front()]).toEqual([["b", "c"], "b"]);
});

test("Q96 W122 a new question unfolds the card; one that was told before does not, and stays as it is", () => {
  const { approvals, ask } = page();
  ask("a");
  const [known] = approvals.all.value;
  approvals.folded.value = true;
  ask("a");
  expect([approvals.all.value[0] === known, approvals.folded.value]).toEqual([true, true]);
  // A different question with a known id replaces it.
  ask("a", 1, { command: "rm -rf /" });
  expect([approvals.all.value[0] === known, approvals.folded.value]).toEqual([false, false]);
  expect(approvals.all.value.length).toBe(1);
});

test("Q61 after a return of the bridge only what it still asks is there", () => {
  const { approvals, ask, open, ids, toasts } = page();
  open();
  expect(approvals.isListed.value).toBe(true);
  ask("a", 1);
  ask("b", 2);
  approvals.onSent("b", "once");
  approvals.onAway();
  // Whether the answer arrived is unknown.
  expect([ids(), approvals.isListed.value, approvals.sent.value.size]).toEqual([
    ["a", "b"],
    false,
    0,
  ]);
  open("b", "c");
  expect([ids(), approvals.isListed.value]).toEqual([["b"], true]);
  ask("b", 2);
  ask("c", 3);
  expect([ids(), toasts]).toEqual([["b", "c"], []]);
});

test("Q61 in any order of messages a page shows what is open, and nothing else", () => {
  const id = fc.constantFrom("a", "b", "c");
  const step = fc.oneof(
    fc.record({ is: fc.constant("ask" as const), id }),
    fc.record({ is: fc.constant("settle" as const), id }),
    fc.record({ is: fc.constant("return" as const), id }),
    fc.record({ is: fc.constant("step" as const), id }),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const { approvals, ask, open, settle, ids, front } = page();
      let expected = new Set<string>();
      for (const { is, id: one } of steps) {
        if (is === "ask") ask(one, one.charCodeAt(0));
        if (is === "ask") expected.add(one);
        if (is === "settle") settle(one);
        if (is === "settle") expected.delete(one);
        if (is === "step") approvals.step(1);
        if (is !== "return") continue;
        approvals.onAway();
        open(one);
        expected = new Set([...expected].filter((known) => known === one));
      }
      expect(ids()).toEqual([...expected].toSorted());
      expect(front() === undefined).toBe(expected.size === 0);
    }),
  );
});

test("Q62 a settled question goes, and the page says who answered what", () => {
  const { approvals, ask, settle, toasts } = page();
  const by = { label: "ben", door: "people" };
  for (const id of "abcdefgh") ask(id);
  settle("a", { by, answer: "deny", reason: "not \u001Btoday" });
  settle("b", { outcome: "allowed", by: { ...by, name: "Bea" }, answer: "once" });
  settle("c", {
    outcome: "allowed",
    by: { label: "edit link", door: "people" },
    answer: "session",
  });
  settle("d", {
    outcome: "allowed",
    by: { label: "the command line", door: "control" },
    answer: "prefix",
  });
  settle("e", { outcome: "expired" });
  settle("f", { outcome: "withdrawn" });
  // Our own answer, and one that came too late.
  approvals.onSent("g", "once");
  settle("g", { outcome: "allowed", by, answer: "once" });
  approvals.onSent("h", "once");
  settle("h", { by, answer: "deny" });
  settle("unheard-of", { by });
  expect(toasts).toEqual([
    "ben denied: git reset --hard (“not ‹ESC›today”)",
    "Bea (ben) allowed: git reset --hard",
    "edit link allowed for the agent’s session: git reset --hard",
    "The host allowed, along with similar commands: git reset --hard",
    "No one answered in time: git reset --hard",
    "Withdrawn: git reset --hard",
    "Allowed: git reset --hard",
    "ben denied: git reset --hard",
  ]);
  expect([approvals.all.value, approvals.sent.value.size]).toEqual([[], 0]);
});

test("Q62 an answer that was refused can be given again", () => {
  const { approvals, ask, toasts } = page();
  ask("a");
  approvals.onSent("a", "prefix");
  const error = "This answer is not offered.";
  approvals.onError({ type: "approval:error", id: "a", code: "bad_request", error });
  expect([approvals.sent.value.size, approvals.front.value?.id, toasts]).toEqual([0, "a", [error]]);
  approvals.onError({ type: "approval:error", code: "bad_request", error: "unreadable" });
  expect(toasts.length).toBe(2);
});

test("Q62 an answer that came too late is told once, and its question goes", () => {
  const { approvals, ask, settle, toasts } = page();
  const late = (id: string) =>
    approvals.onError({ type: "approval:error", id, code: "not_found", error: `${id} is over` });
  ask("a", 1);
  ask("b", 2);
  approvals.onSent("a", "once");
  settle("a", { by: { label: "ben", door: "people" }, answer: "deny" });
  late("a");
  expect(toasts).toEqual(["ben denied: git reset --hard"]);
  late("b");
  expect([approvals.all.value, toasts.slice(1)]).toEqual([[], ["b is over"]]);
});

test("W29 the question that the address names comes to the front, or the page says that it is over", () => {
  const here = page();
  here.approvals.linkedId.value = "b";
  here.open("a", "b");
  here.ask("a", 1);
  here.ask("b", 2);
  expect([here.front(), here.approvals.linkedId.value]).toEqual(["b", undefined]);
  const late = page();
  late.approvals.linkedId.value = "b";
  late.open("a");
  expect(late.approvals.linkedId.value).toBeUndefined();
  expect(late.toasts).toEqual(["That question is no longer open: it was answered or it expired."]);
});

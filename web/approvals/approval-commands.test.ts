import { expect, test } from "vitest";
import type { Approval, ApprovalWord } from "../../protocol/approval.ts";
import { approval } from "../../test/support/approvals.ts";
import { createContext, runCommand } from "../commands/command.ts";
import { Commands } from "../commands/commands.ts";
import { COMMANDS, KINDS } from "../kinds.ts";
import type { PageRequest } from "../session/messages.ts";
import type { SessionActions } from "../session/session.ts";
import { Store } from "../session/store.ts";
import {
  sendAnswer,
  listOpenQuestions,
  ANSWERS,
  ENTER_QUESTION,
  DENY_WITH_REASON,
} from "./approval-commands.ts";
import { Notifier } from "./notify-me.tsx";
import { formatQuestion, formatTimeLeft, formatIsolation } from "./approval-texts.ts";

/** Returns a page where this question has been in front long enough. */
function page(part: Partial<Approval> = {}) {
  const store = new Store("work", undefined, KINDS);
  const sent: PageRequest[] = [];
  const session: SessionActions = {
    store,
    link: "",
    send: (request) => sent.push(request) > 0,
    spawn: async () => true,
    close: async () => undefined,
  };
  store.connection.value = { state: "live" };
  store.isListed.value = true;
  store.role.value = "edit";
  const asked = approval(part);
  store.approvals.onOpen({ type: "approval:open", ids: [asked.id] });
  store.approvals.onRequested({ type: "approval:requested", approval: asked });
  store.approvals.armed.value = asked;
  const press = (word: ApprovalWord): void => runCommand(ANSWERS[word], createContext(session));
  return {
    store,
    session,
    sent,
    press,
    toasts: () => store.toasts.all.value.map(({ text }) => text),
  };
}

const commands = new Commands(COMMANDS);
const pressed = (key: string, altKey = false, scope: "page" | "question" = "question") =>
  commands.findPressed(
    {
      key,
      code: `Key${key.toUpperCase()}`,
      altKey,
      ctrlKey: false,
      metaKey: false,
      shiftKey: false,
    },
    scope,
  )?.id;

test("W119 with the session, or the link, its questions are gone; over a cut they stay", () => {
  const { store } = page();
  const open = () => listOpenQuestions(store).length;
  store.connection.value = { state: "waiting", retryAt: 1, code: 1006 };
  expect(open()).toBe(1);
  store.connection.value = { state: "refused", code: 4403, reason: "revoked" };
  expect(open()).toBe(0);
  store.connection.value = { state: "live" };
  store.bridge.value = { type: "bridge", state: "away" };
  expect(open()).toBe(1);
  store.bridge.value = { type: "bridge", state: "away", how: "ended" };
  expect(open()).toBe(0);
});

test("W26 plain letters answer on the card alone; everywhere else they are the terminal's", () => {
  expect(["y", "a", "p", "n", "r"].map((key) => pressed(key))).toEqual([
    "question.once",
    "question.session",
    "question.prefix",
    "question.deny",
    "question.explain",
  ]);
  for (const key of ["y", "a", "p", "n", "r"]) expect(pressed(key, false, "page")).toBeUndefined();
  expect(pressed("y", true, "page")).toBe(ENTER_QUESTION.id);
});

test("W116 only an answer that is offered is sent, and once", () => {
  const { sent, press } = page({ offers: ["once", "session", "deny"] });
  press("prefix");
  expect(sent).toEqual([]);
  press("session");
  press("session");
  press("deny");
  expect(sent).toEqual([{ type: "approval:answer", id: "ap-1", answer: "session" }]);
});

test("W117 nothing answers a question that has just come to the front", () => {
  const { store, sent, press } = page();
  const newer = approval({ id: "ap-2" });
  store.approvals.onRequested({ type: "approval:requested", approval: newer });
  store.approvals.onSettled({ type: "approval:settled", id: "ap-1", outcome: "denied" });
  press("once");
  press("deny");
  expect([store.approvals.front.value?.id, sent]).toEqual(["ap-2", []]);
  store.approvals.armed.value = newer;
  press("once");
  expect(sent).toEqual([{ type: "approval:answer", id: "ap-2", answer: "once" }]);
});

test("W26 a denial may have a reason", () => {
  const { store, session, sent, press } = page();
  runCommand(DENY_WITH_REASON, createContext(session));
  expect(store.approvals.denyingId.value).toBe("ap-1");
  // The next letter belongs to the reason, even before its field has the focus.
  press("once");
  press("deny");
  expect(sent).toEqual([]);
  sendAnswer(session, "deny", "  use git stash ");
  expect(sent).toEqual([
    { type: "approval:answer", id: "ap-1", answer: "deny", reason: "use git stash" },
  ]);
});

test("W27 while the host is offline nothing is answered, and the page says why", () => {
  const { store, sent, press, toasts } = page();
  store.bridge.value = { type: "bridge", state: "away" };
  press("once");
  store.bridge.value = { type: "bridge", state: "here" };
  // The bridge is back, and has not yet sent its open questions.
  store.approvals.onAway();
  press("once");
  store.connection.value = { state: "connecting" };
  press("once");
  expect(sent).toEqual([]);
  expect(toasts()).toEqual([
    "The host is offline: you can answer when it is back.",
    "Connecting…",
    "Not connected: you can answer when this page has reconnected.",
  ]);
});

test("W118 a View link has no questions, whatever it is told", () => {
  const { store, session, toasts } = page();
  store.role.value = "view";
  runCommand(ENTER_QUESTION, createContext(session));
  expect(store.approvals.wantsFocus.value).toBe(false);
  expect(toasts()).toEqual(["No agent is waiting for an answer."]);
});

test("W114 the card says with which rights, and how long there is time", () => {
  expect(formatIsolation(approval())).toContain("with all their rights");
  expect(formatIsolation(approval({ isolation: "sandbox" }))).toContain("in a sandbox");
  expect(formatIsolation(approval({ isolation: "container" }))).toContain("in a container");
  expect(formatTimeLeft(approval(), 0)).toBeUndefined();
  expect(formatTimeLeft(approval({ expiresAt: 600_000 }), 354_500)).toBe("4:06 left");
  expect(formatTimeLeft(approval({ expiresAt: 1 }), 2)).toBe("time is up");
  expect(formatQuestion(approval({ kind: "write", command: "/work/\u202Etxt.sh" }))).toBe(
    "claude-code wants to write a file: /work/‹U+202E›txt.sh",
  );
});

test("W120 W121 a page out of sight notifies once for each question, and takes it back when that is settled", () => {
  const log: string[] = [];
  let hidden = false;
  const notifier = new Notifier({
    isWanted: () => hidden,
    show: ({ id }) => {
      log.push(`show ${id}`);
      return { close: () => log.push(`close ${id}`) };
    },
  });
  const [a, b, c] = ["a", "b", "c"].map((id) => approval({ id }));
  if (!a || !b || !c) throw new Error("no questions");
  notifier.update([a]);
  hidden = true;
  // Questions that were open before are already known.
  notifier.update([a, b]);
  notifier.update([a, b, c]);
  expect(log).toEqual(["show b", "show c"]);
  notifier.update([a, c]);
  notifier.update([a, b, c]);
  expect(log.slice(2)).toEqual(["close b", "show b"]);
  notifier.dispose();
  expect(log.slice(4).toSorted()).toEqual(["close b", "close c"]);
});

// The commands of conversations, on a page with one or two of them.

import { expect, test } from "vitest";
import type { Conversation } from "../../protocol/conversation.ts";
import type { Role } from "../../protocol/grant.ts";
import { conversation } from "../../test/support/conversations.ts";
import { createContext, runCommand } from "../commands/command.ts";
import { CLOSE_VIEW } from "../commands/frame-commands.ts";
import { KINDS } from "../kinds.ts";
import { toConversationView } from "../session/conversations.ts";
import type { PageRequest } from "../session/messages.ts";
import type { SessionActions } from "../session/session.ts";
import { Store } from "../session/store.ts";
import { putTerminal, toTerminalView } from "../session/terminal-list.ts";
import { NEW_CONVERSATION, CANCEL_TURN, ENTER_CONVERSATION, SEND_PROMPT } from "./commands.ts";

function page(role: Role, ...parts: Partial<Conversation>[]) {
  const store = new Store("work", undefined, KINDS);
  const sent: PageRequest[] = [];
  const session: SessionActions = {
    store,
    link: "",
    send: (request) => sent.push(request) > 0,
    spawn: async () => true,
    close: async () => {},
  };
  store.connection.value = { state: "live" };
  store.isListed.value = true;
  store.role.value = role;
  store.terminals.value = [];
  store.conversations.onList(
    parts.map((part, at) => conversation({ id: `c${at + 1}`, startedAt: at, ...part })),
    () => false,
  );
  const toasts = () => store.toasts.all.value.map(({ text }) => text);
  const run = (command = SEND_PROMPT) => runCommand(command, createContext(session));
  return { store, session, sent, toasts, run };
}

test("AC70 the tab has the agent's label, what it calls itself, and how it stands", () => {
  const { store } = page("view", { state: "working", isolation: "sandbox", title: "Fix\u001B it" });
  expect(store.getSummary(toConversationView("c1"))).toMatchObject({
    label: "claude",
    details: ["claude-code 1.2.3", "/home/ana/project"],
    chips: [{ text: "working" }, { text: "sandbox" }],
    closing: undefined,
  });
  expect(store.getSummary(toConversationView("gone")).label).toBe("");
  const two = page("edit", { title: "One" }, { title: "Two" });
  expect(two.store.getSummary(toConversationView("c2")).label).toBe("claude: Two");
});

test("AC70 a key goes to the conversations, one after the other, or says how one begins", () => {
  const { store, run } = page("edit", {}, {});
  const current = () => store.views.current.value;
  run(ENTER_CONVERSATION);
  expect(current()).toEqual(toConversationView("c2"));
  run(ENTER_CONVERSATION);
  expect(current()).toEqual(toConversationView("c1"));
  const none = page("edit");
  none.run(ENTER_CONVERSATION);
  expect(none.toasts()[0]).toContain("pairpty agent");
});

test("AC74 a prompt is sent once, and only what is one", () => {
  const { store, sent, run } = page("edit", {});
  run();
  store.conversations.write("c1", "  \n");
  run();
  expect(sent).toEqual([]);
  store.conversations.write("c1", "do it");
  run();
  run();
  expect(sent).toEqual([{ type: "conversation:prompt", id: "c1", text: "do it" }]);
});

test("AC134 AC135 AC76 AC81 a View link sends nothing, and a page that is not connected says so", () => {
  const viewer = page("view", { state: "working" });
  viewer.store.conversations.write("c1", "do it");
  for (const command of [SEND_PROMPT, CANCEL_TURN, NEW_CONVERSATION, CLOSE_VIEW])
    viewer.run(command);
  expect(viewer.sent).toEqual([]);
  expect(viewer.toasts()).toEqual([
    "Read-only: this link cannot talk to agents. Ask the host for an Edit link.",
    "Read-only: this link cannot end conversations. Ask the host for an Edit link.",
  ]);
  const cut = page("edit", {});
  cut.store.isListed.value = false;
  cut.store.conversations.write("c1", "do it");
  cut.run();
  expect([cut.sent, cut.store.conversations.draft("c1").text]).toEqual([[], "do it"]);
  expect(cut.toasts()[0]).toContain("Not connected");
});

test("AC76 only a turn that runs is cancelled", () => {
  const { store, sent, run } = page("edit", {});
  run(CANCEL_TURN);
  expect(sent).toEqual([]);
  store.conversations.onChanged(conversation({ state: "working" }));
  run(CANCEL_TURN);
  expect(sent).toEqual([{ type: "conversation:cancel", id: "c1" }]);
  expect(store.conversations.cancelling.value.has("c1")).toBe(true);
});

test("AC81 ending asks first; an ended one leaves this page, and no one is told", () => {
  const { store, sent, run } = page("edit", {}, {});
  run(CLOSE_VIEW);
  const dialog = store.dialog.value;
  if (dialog?.kind !== "confirm") throw new Error("nothing was asked");
  expect([sent, dialog.question()?.title]).toEqual([[], "End claude?"]);
  dialog.question()?.run();
  expect(sent.splice(0)).toEqual([{ type: "conversation:end", id: "c1" }]);
  store.conversations.onChanged(conversation({ state: "ended" }));
  expect(dialog.question()).toBeUndefined();
  run(CLOSE_VIEW);
  expect([sent, store.views.current.value]).toEqual([[], toConversationView("c2")]);
  expect(store.views.all.value).toEqual([toConversationView("c2")]);
});

test("AC141 a conversation's terminal has a tab only when someone opens one, and closing it ends nothing", () => {
  const { store, sent, run } = page("view", {});
  store.updateTerminals((all) =>
    putTerminal(all, {
      id: "pty-1",
      cwd: "/work",
      owner: "agent",
      visible: false,
      createdAt: 1,
      conversation: "c1",
    }),
  );
  expect(store.views.all.value).toEqual([toConversationView("c1")]);
  store.setTab("pty-1", true);
  expect([store.views.all.value, store.views.current.value]).toEqual([
    [toTerminalView("pty-1"), toConversationView("c1")],
    toTerminalView("pty-1"),
  ]);
  expect(store.getSummary(toTerminalView("pty-1")).closing).toBe("Close");
  run(CLOSE_VIEW);
  expect([sent, store.views.all.value, store.findTerminal("pty-1")?.ended]).toEqual([
    [],
    [toConversationView("c1")],
    undefined,
  ]);
});

// A second kind of view takes a few lines and one row: store, selection and commands know it.

import { h } from "preact";
import { expect, test } from "vitest";
import { Commands } from "../commands/commands.ts";
import { KINDS } from "../kinds.ts";
import { Store } from "../session/store.ts";
import { putTerminal, toTerminalView } from "../session/terminal-list.ts";
import type { ViewKind } from "./view.ts";

interface NoteView {
  readonly kind: "note";
  readonly title: string;
}

const NOTE: NoteView = { kind: "note", title: "a note" };
const open = { id: "note.open", title: "Open a note", keys: "Alt+M", run: () => undefined };

const NOTES: ViewKind<NoteView> = {
  key: ({ title }) => `note-${title}`,
  list: () => [NOTE],
  summarize: (_store, { title }) => ({
    label: title,
    name: title,
    number: undefined,
    details: [],
    chips: [],
    ended: false,
    closing: undefined,
  }),
  Body: ({ view }) => h("p", null, view.title),
  close: (session, { title }) => session.store.toast(`closed ${title}`),
  open,
  commands: [open],
};

const kinds = { ...KINDS, note: NOTES };

test("W21 a kind of view is a folder and a row: its views are tabs among the others", () => {
  const store = new Store("work", undefined, kinds);
  // One kind's list is not known yet.
  expect(store.views.all.value).toBeUndefined();
  store.updateTerminals((all) =>
    putTerminal(all, { id: "pty-1", cwd: "/a", owner: "user", visible: true, createdAt: 1 }),
  );
  expect(store.views.all.value).toEqual([toTerminalView("pty-1"), NOTE]);
  const [, note] = store.views.all.value ?? [];
  if (!note) throw new Error("no note among the views");
  store.views.enter(note);
  expect(store.views.current.value).toEqual(NOTE);
  expect(store.getSummary(note).name).toBe("a note");
  store.views.leave(note);
  expect(store.views.current.value).toEqual(toTerminalView("pty-1"));
});

test("W20 W21 a kind's commands are the page's, and every view's commands are the kind's", () => {
  const commands = new Commands(Object.values(kinds).flatMap((kind) => kind.commands));
  expect(commands.listByScope("page")).toContain(open);
  const store = new Store("work", undefined, kinds);
  store.updateTerminals((all) => all);
  const close = commands.all.find(({ id }) => id === "view.close");
  const session = {
    store,
    link: "",
    send: () => true,
    spawn: async () => true,
    close: async () => {},
  };
  close?.run?.({ session, view: store.views.current.value });
  expect(store.toasts.all.value.map(({ text }) => text)).toEqual(["closed a note"]);
});

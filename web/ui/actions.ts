// Owns what the user's commands do, whichever way they come: key, click or menu.

import type { Session } from "../session/session.ts";
import { find, stepped } from "../session/tabs.ts";
import type { Shortcut } from "./keys.ts";

export function perform(session: Session, shortcut: Shortcut): void {
  const { store } = session;
  const tabs = store.tabs.peek() ?? [];
  switch (shortcut.do) {
    case "new":
      return void open(session);
    case "close":
      return requestClose(session, store.active.peek());
    case "help":
      store.dialog.value = { kind: "help" };
      return undefined;
    case "tabs":
      return document.querySelector<HTMLElement>('[role="tab"][tabindex="0"]')?.focus();
    case "pick":
      return enter(session, tabs[shortcut.index]?.terminal.id);
    case "step":
      return enter(session, stepped(tabs, store.active.peek(), shortcut.by));
    default:
      return shortcut satisfies never;
  }
}

export async function open(session: Session): Promise<void> {
  const { store } = session;
  if (!store.reachable.peek()) return store.toast("Not connected: try again in a moment.");
  if (!store.mayEdit.peek()) return store.toast("Read-only: this link cannot open terminals.");
  return session.spawn();
}

/** Asks first when something would end by it. */
export function requestClose(session: Session, id: string | undefined): void {
  const { store } = session;
  const tab = find(store.tabs.peek() ?? [], id);
  if (!tab) return undefined;
  if (tab.ended) return void session.close(tab.terminal.id);
  if (!store.mayEdit.peek()) return store.toast("Read-only: this link cannot close terminals.");
  store.dialog.value = { kind: "close", id: tab.terminal.id };
  return undefined;
}

function enter(session: Session, id: string | undefined): void {
  if (id !== undefined) session.store.enter(id);
}

// Owns what the user's commands do, whichever way they come: key, click or menu.

import type { PtyAsked } from "../../protocol/pty.ts";
import type { Session } from "../session/session.ts";
import { find, stepped, takesInput } from "../session/tabs.ts";
import { numbered } from "../terminal/title.ts";
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
    case "drive":
      return driveOrGive(session, store.active.peek());
    case "tabs":
      return document.querySelector<HTMLElement>('[role="tab"][tabindex="0"]')?.focus();
    case "pick":
      return enter(session, numbered(store.names.peek(), shortcut.number));
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

export function takeOver(session: Session, id: string): void {
  session.send({ type: "pty:drive", id });
  session.store.enter(id);
}

export function askFor(session: Session, id: string): boolean {
  const sent = session.send({ type: "pty:ask", id });
  session.store.enter(id);
  return sent;
}

export function handOver(session: Session, ask: PtyAsked): void {
  session.send({ type: "pty:give", id: ask.id, peer: ask.peer });
  session.store.onAnswered(ask);
}

/** What we do not drive we take over; what we drive goes to whoever asked last. */
function driveOrGive(session: Session, id: string | undefined): void {
  const { store } = session;
  const tab = find(store.tabs.peek() ?? [], id);
  if (id === undefined || !takesInput(tab)) return undefined;
  if (!store.mayEdit.peek()) return store.toast("Read-only: this link can watch, not drive.");
  if (store.drivers.peek().get(id)?.who !== "you") return takeOver(session, id);
  const ask = store.asks.peek().findLast((one) => one.id === id);
  return ask && handOver(session, ask);
}

function enter(session: Session, id: string | undefined): void {
  if (id !== undefined) session.store.enter(id);
}

// Owns the actions on a terminal that keys, clicks and menus share.

import type { PtyAsked } from "../../protocol/pty.ts";
import { shorten } from "../session/visible-text.ts";
import { formatName } from "../session/terminal-names.ts";
import type { SessionActions } from "../session/session.ts";
import type { Store } from "../session/store.ts";
import type { TerminalEntry } from "../session/terminal-list.ts";
import { toTerminalView } from "../session/terminal-list.ts";
import { parseLink } from "./links/terminal-link.ts";

/** Closes a terminal; asks for confirmation if its program still runs. */
export function requestClose(session: SessionActions, id: string): void {
  const { store } = session;
  const terminal = store.findTerminal(id);
  if (!terminal) return undefined;
  // It belongs to a conversation, which keeps showing it: only its tab is closed.
  if (terminal.terminal.conversation !== undefined) return store.setTab(id, false);
  if (terminal.ended) return void session.close(id);
  const why = store.readOnlyReason("close terminals");
  if (why !== undefined) return store.toast(why);
  store.dialog.value = {
    kind: "confirm",
    question: () => {
      const now = store.findTerminal(id);
      if (!now || now.ended) return undefined;
      return {
        title: `Close ${formatName(store.names.value.get(id))}?`,
        text: "It is still running. Closing it ends every program in it for everyone.",
        yes: "Close terminal",
        no: "Cancel",
        run: () => void session.close(id),
      };
    },
  };
  return undefined;
}

/** Asks before a private terminal becomes visible, because its earlier output becomes visible too. */
export function confirmShow(session: SessionActions, id: string): void {
  const { store } = session;
  store.dialog.value = {
    kind: "confirm",
    question: () => {
      const now = store.findTerminal(id);
      if (!now || now.ended || !now.terminal.private) return undefined;
      return {
        title: `Show ${formatName(store.names.value.get(id))} again?`,
        text: "Agents and people with a View link will also see what was printed while it was private.",
        yes: "Show terminal",
        no: "Cancel",
        run: () => void session.send({ type: "pty:private", id, on: false }),
      };
    },
  };
}

/** Starts the same program again in the same folder and under the same name; removes the ended terminal. */
export async function restart(session: SessionActions, id: string): Promise<void> {
  const known = session.store.findTerminal(id);
  if (!canRestart(known)) return;
  const { command, cwd, name, private: isPrivate } = known.terminal;
  const isDone = await session.spawn(
    { cwd, ...(command && { command }), ...(isPrivate && { private: true }) },
    (opened) => name && session.send({ type: "pty:rename", id: opened, name }),
  );
  if (isDone) session.store.dismiss(id);
}

/** Whether an ended terminal can be restarted. Not if it was sandboxed or an agent's: it would run as the host. */
export function canRestart(known: TerminalEntry | undefined): known is TerminalEntry {
  if (known?.ended === undefined) return false;
  const { owner, isolation, startedBy } = known.terminal;
  return owner === "user" && isolation === undefined && startedBy === undefined;
}

/** Opens the dialog that shows a link's target, or a toast if the link is not allowed. */
export function openLink(store: Pick<Store, "toast" | "dialog">, uri: string): void {
  const link = parseLink(uri);
  if (link) store.dialog.value = { kind: "link", link };
  else store.toast(`Only http, https and mailto links can be opened, not ${shorten(uri, 80)}`);
}

export function takeOver(session: SessionActions, id: string): void {
  session.send({ type: "pty:drive", id });
  session.store.views.enter(toTerminalView(id));
}

export function askToType(session: SessionActions, id: string): boolean {
  const sent = session.send({ type: "pty:ask", id });
  session.store.views.enter(toTerminalView(id));
  return sent;
}

export function handOver(session: SessionActions, ask: PtyAsked): void {
  session.send({ type: "pty:give", id: ask.id, peer: ask.peer });
  session.store.onAnswered(ask);
}

/** Takes over a terminal that another person drives; hands our own to the person who asked last. */
export function takeOrHandOver(session: SessionActions, id: string): void {
  const { store } = session;
  if (store.drivers.peek().get(id)?.who !== "you") return takeOver(session, id);
  const ask = store.controlRequests.peek().findLast((one) => one.id === id);
  return ask && handOver(session, ask);
}

// Owns what programs request with sequences beyond their screen: bells, progress and the clipboard. Does
// not draw.

import { formatName } from "../session/terminal-names.ts";
import type { Session } from "../session/session.ts";
import { ringBell } from "./bell.ts";
import { parseClipboardRequest } from "./clipboard.ts";
import type { Emulator } from "./emulator.ts";
import { ClipboardRequests } from "./terminal-clipboard.ts";
import { parseProgress, updateActivity } from "./terminal-summary.ts";

interface SequenceDeps {
  readonly id: string;
  readonly session: Session;
  /** The element that a bell flashes. */
  readonly host: HTMLElement;
  readonly isReplay: () => boolean;
  readonly isVisible: () => boolean;
  /** Sends the clipboard's content to the program. */
  readonly reply: (data: string) => void;
}

/** Handles bells, progress and clipboard requests of programs; ignores those in a replay. */
export function handleSequences(term: Emulator["term"], deps: SequenceDeps): void {
  const { id, session, host } = deps;
  const { store } = session;
  const clipboardRequests = new ClipboardRequests({
    store,
    name: () => formatName(store.names.peek().get(id)),
    reply: deps.reply,
    now: () => performance.now(),
  });
  term.onBell(() => {
    if (deps.isReplay()) return;
    ringBell(host);
    if (!deps.isVisible()) updateActivity(id, { rang: true });
  });
  term.parser.registerOscHandler(9, (values) => {
    const progress = parseProgress(values);
    if (progress !== null) updateActivity(id, { progress });
    return progress !== null;
  });
  term.parser.registerOscHandler(52, (values) => {
    // Only the driver's clipboard, not that of people who watch.
    const isOurs = store.drivers.peek().get(id)?.who === "you";
    if (!deps.isReplay() && isOurs && !document.hidden)
      void clipboardRequests.handle(parseClipboardRequest(values));
    return true;
  });
}

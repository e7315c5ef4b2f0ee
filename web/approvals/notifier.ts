// Owns the system's notifications of agents' questions: for a page that nobody sees, where somebody
// allowed them. Does not ask for that: the card has a control.

import type { Approval } from "../../protocol/approval.ts";
import { sentenceOf } from "./words.ts";

export interface Shown {
  close(): void;
}

export interface NotifierPort {
  /** Whether nobody sees the page, and notifications are allowed. */
  isWanted(): boolean;
  /** Undefined where the browser has none to show after all. */
  show(approval: Approval, text: string): Shown | undefined;
}

export class Notifier {
  readonly #port: NotifierPort;
  readonly #known = new Set<string>();
  readonly #shown = new Map<string, Shown>();

  constructor(port: NotifierPort) {
    this.#port = port;
  }

  /** All that are open, whenever that has changed. */
  see(open: readonly Approval[]): void {
    const ids = new Set(open.map(({ id }) => id));
    for (const [id, shown] of this.#shown) {
      if (ids.has(id)) continue;
      shown.close();
      this.#shown.delete(id);
    }
    for (const id of this.#known) if (!ids.has(id)) this.#known.delete(id);
    for (const approval of open) this.#hear(approval);
  }

  dispose(): void {
    this.see([]);
  }

  #hear(approval: Approval): void {
    const { id } = approval;
    if (this.#known.has(id)) return;
    this.#known.add(id);
    if (!this.#port.isWanted()) return;
    const shown = this.#port.show(approval, sentenceOf(approval));
    if (shown) this.#shown.set(id, shown);
  }
}

/** Of this browser; `onClick` gets the question that was meant. */
export function browserPort(onClick: (approval: Approval) => void): NotifierPort {
  return {
    isWanted: () => document.hidden && permission() === "granted",
    show: (approval, text) => {
      const notification = make(text, approval.id);
      notification?.addEventListener("click", () => {
        globalThis.focus();
        notification.close();
        onClick(approval);
      });
      return notification;
    },
  };
}

/** "none" where the browser has no notifications, as without a secure context. */
export function permission(): NotificationPermission | "none" {
  return "Notification" in globalThis ? Notification.permission : "none";
}

function make(body: string, tag: string): Notification | undefined {
  try {
    return new Notification("pairpty", { body, tag });
  } catch (error) {
    // Phones show them from a service worker only, and say so by this error.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

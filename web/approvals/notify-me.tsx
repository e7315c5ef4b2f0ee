// Owns the control that lets this page notify its user. Browsers prompt only after a click; the
// control is shown until the user has decided. Also owns the system's notifications of agents'
// questions, for a hidden page whose user allowed them. Does not request the permission: the card
// has a control for it.

import { useState } from "preact/hooks";
import type { Approval } from "../../protocol/approval.ts";
import { formatQuestion } from "./approval-texts.ts";

export function NotifyMe() {
  const [state, setState] = useState(getPermission);
  if (state !== "default") return null;
  return (
    <button
      type="button"
      class="notify-me"
      title="Get a notification when an agent asks while this page is out of sight"
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => {
        const ask = async (): Promise<void> => setState(await Notification.requestPermission());
        void ask();
      }}
    >
      Notify me when I’m away
    </button>
  );
}

export interface ShownNotification {
  close(): void;
}

export interface NotifierPort {
  /** Whether the page is hidden and notifications are allowed. */
  isWanted(): boolean;
  /** Shows a notification; undefined if the browser cannot. */
  show(approval: Approval, text: string): ShownNotification | undefined;
}

export class Notifier {
  readonly #port: NotifierPort;
  readonly #known = new Set<string>();
  readonly #shown = new Map<string, ShownNotification>();

  constructor(port: NotifierPort) {
    this.#port = port;
  }

  /** Updates notifications to the questions that are open now. */
  update(open: readonly Approval[]): void {
    const ids = new Set(open.map(({ id }) => id));
    for (const [id, shown] of this.#shown) {
      if (ids.has(id)) continue;
      shown.close();
      this.#shown.delete(id);
    }
    for (const id of this.#known) if (!ids.has(id)) this.#known.delete(id);
    for (const approval of open) this.#notifyOnce(approval);
  }

  dispose(): void {
    this.update([]);
  }

  #notifyOnce(approval: Approval): void {
    const { id } = approval;
    if (this.#known.has(id)) return;
    this.#known.add(id);
    if (!this.#port.isWanted()) return;
    const shown = this.#port.show(approval, formatQuestion(approval));
    if (shown) this.#shown.set(id, shown);
  }
}

/** Returns the port of this browser; `onClick` gets the question of the notification. */
export function browserPort(onClick: (approval: Approval) => void): NotifierPort {
  return {
    isWanted: () => document.hidden && getPermission() === "granted",
    show: (approval, text) => {
      const notification = tryNotify(text, approval.id);
      notification?.addEventListener("click", () => {
        globalThis.focus();
        notification.close();
        onClick(approval);
      });
      return notification;
    },
  };
}

/** Returns the permission; "none" if the browser has no notifications, as outside a secure context. */
function getPermission(): NotificationPermission | "none" {
  return "Notification" in globalThis ? Notification.permission : "none";
}

function tryNotify(body: string, tag: string): Notification | undefined {
  try {
    return new Notification("pairpty", { body, tag });
  } catch (error) {
    // Phones show notifications only from a service worker, and throw this error otherwise.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

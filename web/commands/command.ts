// Owns what a command is: one definition for its keys, buttons, hints and the help.

import type { Acting } from "../session/session.ts";
import type { View } from "../views/view.ts";
import { inWords } from "./keys.ts";

/**
 * Where the command's keys work: on the whole page, in the tab bar, on an agent's question, in the
 * find bar, or in a conversation.
 */
export type Scope = "page" | "tabs" | "question" | "find" | "conversation";

/** What a command acts on. */
export interface Aim {
  readonly session: Acting;
  /** The current view, or the one whose button was pressed. */
  readonly view: View | undefined;
  /** The pressed digit, for a command with nine keys. */
  readonly digit?: number;
}

export interface Command {
  readonly id: string;
  /** Shown in the help, and on buttons without a text of their own. */
  readonly title: string;
  /** Returns what a toggle would do now, for menu and palette. */
  readonly titleNow?: (aim: Aim) => string | undefined;
  /** Further search words for the palette. */
  readonly words?: string;
  /** In the notation of keys.ts. */
  readonly keys: string;
  /** Defaults to "page". */
  readonly scope?: Scope;
  /** Returns false while there is nothing to do: keys go to the terminal, buttons are off. */
  readonly isEnabled?: (aim: Aim) => boolean;
  /** Returns true while it is under way: it does nothing then, and its keys stay the page's. */
  readonly isBusy?: (aim: Aim) => boolean;
  /** Runs instead while the command is busy. */
  readonly onBusy?: (aim: Aim) => void;
  /** Returns why it cannot be done, as a message for people; then it is not run. */
  readonly refusal?: (aim: Aim) => string | undefined;
  /** Runs the command. Absent if the browser or the terminal handles its keys. */
  readonly run?: (aim: Aim) => void;
}

export function aimOf(session: Acting, view?: View, digit?: number): Aim {
  return {
    session,
    view: view ?? session.store.views.current.peek(),
    ...(digit !== undefined && { digit }),
  };
}

/** Returns a refusal for watchers, naming what they cannot do. */
export function editOnly(deed: string): (aim: Aim) => string | undefined {
  return ({ session: { store } }) => store.whyReadOnly(deed);
}

/** Whether the command can run now. */
export function isOn(command: Command, aim: Aim): boolean {
  return command.isEnabled?.(aim) !== false && command.isBusy?.(aim) !== true;
}

export function perform(command: Command, aim: Aim): void {
  if (command.isEnabled?.(aim) === false) return;
  if (command.isBusy?.(aim) === true) {
    command.onBusy?.(aim);
    return;
  }
  const refusal = command.refusal?.(aim);
  if (refusal !== undefined) return aim.session.store.toast(refusal);
  command.run?.(aim);
}

/** Returns what the command would do now. */
export function titleOf(command: Command, aim: Aim): string {
  return command.titleNow?.(aim) ?? command.title;
}

/** Returns tooltip and keys for a button that runs the command, perhaps with its own title. */
export function hintsOf(command: Command, title = command.title) {
  return { title: `${title} (${inWords(command.keys)})`, "aria-keyshortcuts": command.keys };
}

// Owns what a command is: one row behind its keys, its buttons, their hints and the help.

import type { Acting } from "../session/session.ts";
import type { View } from "../views/view.ts";
import { inWords } from "./keys.ts";

/**
 * Where its keys count: on the whole page, in the tab bar, on an agent's question, in the find bar, or
 * in a conversation.
 */
export type Scope = "page" | "tabs" | "question" | "find" | "conversation";

/** What a command acts on. */
export interface Aim {
  readonly session: Acting;
  /** The one in use, or the one whose button it was. */
  readonly view: View | undefined;
  /** Of a command for nine keys. */
  readonly digit?: number;
}

export interface Command {
  readonly id: string;
  /** In the help, and on buttons that say nothing else. */
  readonly title: string;
  /** Of one that turns something on and off: what it would do now. Menu and palette say that. */
  readonly titleNow?: (aim: Aim) => string | undefined;
  /** What people may call it besides, for the palette. */
  readonly words?: string;
  /** As keys.ts writes them. */
  readonly keys: string;
  /** "page" unless said. */
  readonly scope?: Scope;
  /** False while there is nothing to do: its keys are the terminal's, its buttons are off. */
  readonly isEnabled?: (aim: Aim) => boolean;
  /** Under way already: for this moment it does nothing, and its keys stay the page's. */
  readonly isBusy?: (aim: Aim) => boolean;
  /** Runs instead while it is busy. */
  readonly onBusy?: (aim: Aim) => void;
  /** Why it cannot be done, in a sentence for people; then it is not run. */
  readonly refusal?: (aim: Aim) => string | undefined;
  /** Absent where the browser or the terminal does it: the row is for the help, and for them. */
  readonly run?: (aim: Aim) => void;
}

export function aimOf(session: Acting, view?: View, digit?: number): Aim {
  return {
    session,
    view: view ?? session.store.views.current.peek(),
    ...(digit !== undefined && { digit }),
  };
}

/** A refusal for those who may only watch: what they cannot do. */
export function editOnly(deed: string): (aim: Aim) => string | undefined {
  return ({ session: { store } }) => store.whyReadOnly(deed);
}

/** Whether there is anything to do, now. */
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

/** What it would do now. */
export function titleOf(command: Command, aim: Aim): string {
  return command.titleNow?.(aim) ?? command.title;
}

/** For a button that does what a command does, perhaps under a name of its own. */
export function hintsOf(command: Command, title = command.title) {
  return { title: `${title} (${inWords(command.keys)})`, "aria-keyshortcuts": command.keys };
}

// Owns what a command is: one definition for its keys, buttons, hints and the help.

import type { SessionActions } from "../session/session.ts";
import type { View } from "../views/view.ts";
import { formatKeys } from "./keys.ts";

/**
 * Where the command's keys work: on the whole page, in the tab bar, on an agent's question, in the
 * find bar, or in a conversation.
 */
export type Scope = "page" | "tabs" | "question" | "find" | "conversation";

/** What a command acts on: a view of a session. */
export interface CommandContext {
  readonly session: SessionActions;
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
  readonly currentTitle?: (context: CommandContext) => string | undefined;
  /** Further search words for the palette. */
  readonly words?: string;
  /** In the notation of keys.ts. */
  readonly keys: string;
  /** Defaults to "page". */
  readonly scope?: Scope;
  /** Returns false while there is nothing to do: keys go to the terminal, buttons are off. */
  readonly isEnabled?: (context: CommandContext) => boolean;
  /** Returns true while the command is running: it does nothing then, and its keys stay the page's. */
  readonly isBusy?: (context: CommandContext) => boolean;
  /** Runs instead while the command is busy. */
  readonly onBusy?: (context: CommandContext) => void;
  /** Returns why it cannot be done, as a message for people; then it is not run. */
  readonly refusal?: (context: CommandContext) => string | undefined;
  /** Runs the command. Absent if the browser or the terminal handles its keys. */
  readonly run?: (context: CommandContext) => void;
}

export function createContext(
  session: SessionActions,
  view?: View,
  digit?: number,
): CommandContext {
  return {
    session,
    view: view ?? session.store.views.current.peek(),
    ...(digit !== undefined && { digit }),
  };
}

/** Returns a refusal for watchers, naming what they cannot do. */
export function editOnly(action: string): (context: CommandContext) => string | undefined {
  return ({ session: { store } }) => store.readOnlyReason(action);
}

/** Whether the command can run now. */
export function isAvailable(command: Command, context: CommandContext): boolean {
  return command.isEnabled?.(context) !== false && command.isBusy?.(context) !== true;
}

export function runCommand(command: Command, context: CommandContext): void {
  if (command.isEnabled?.(context) === false) return;
  if (command.isBusy?.(context) === true) {
    command.onBusy?.(context);
    return;
  }
  const refusal = command.refusal?.(context);
  if (refusal !== undefined) return context.session.store.toast(refusal);
  command.run?.(context);
}

/** Returns what the command would do now. */
export function getTitle(command: Command, context: CommandContext): string {
  return command.currentTitle?.(context) ?? command.title;
}

/** Returns tooltip and keys for a button that runs the command, perhaps with its own title. */
export function getHints(command: Command, title = command.title) {
  return { title: `${title} (${formatKeys(command.keys)})`, "aria-keyshortcuts": command.keys };
}

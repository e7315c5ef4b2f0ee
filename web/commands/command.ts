// Owns what a command is: one definition for its keys, buttons, hints and the help. Also owns the
// notation of keys, matching them with events, and showing them. The notation is ARIA's, "Alt+N";
// "Alt+1…9" stands for nine keys.

import type { SessionActions } from "../session/session.ts";
import type { View } from "../views/view.ts";

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
  /** In ARIA's notation. */
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

export type KeyPress = Pick<
  KeyboardEvent,
  "altKey" | "ctrlKey" | "metaKey" | "shiftKey" | "key" | "code"
>;

const DIGITS = "1…9";

/** Labels of keys that differ from their names. */
const KEY_LABELS: Readonly<Record<string, string>> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  PageUp: "PgUp",
  PageDown: "PgDn",
  Escape: "Esc",
  [DIGITS]: "1 … 9",
};

/** Keys by position, because Alt changes their character on some keyboards. */
const SYMBOL_KEYS: Readonly<Record<string, string>> = {
  Slash: "/",
  Equal: "=",
  Minus: "-",
  Comma: ",",
};

export function isPressed(keys: string, event: KeyPress): boolean {
  const parts = keys.split("+");
  const key = parts.at(-1) ?? "";
  const has = (modifier: string): boolean => parts.slice(0, -1).includes(modifier);
  if (event.altKey !== has("Alt") || event.ctrlKey !== has("Control")) return false;
  if (event.shiftKey !== has("Shift") || event.metaKey !== has("Meta")) return false;
  if (key === DIGITS) return getDigit(event) > 0;
  if (/^\d$/.test(key)) return getDigit(event) === Number(key);
  return key.length === 1 ? getLetter(event) === key.toLowerCase() : event.key === key;
}

/** Returns the digit by the key's position, since Alt may change its character; -1 if none. */
export function getDigit({ code }: KeyPress): number {
  return Number(/^Digit(\d)$/.exec(code)?.[1] ?? -1);
}

/** Returns one label per key, for `<kbd>`. */
export function toKeyCaps(keys: string): string[] {
  return keys.split("+").map((key) => KEY_LABELS[key] ?? (key === "Control" ? "Ctrl" : key));
}

/** Formats keys for tooltips. */
export function formatKeys(keys: string): string {
  return toKeyCaps(keys).join("+");
}

/** Returns the keys for one of the nine digits. */
export function withDigit(keys: string, digit: number): string {
  return keys.replace(DIGITS, String(digit));
}

/** Returns the letter on the key; by position where macOS composes another one with Alt. */
function getLetter({ key, code }: KeyPress): string {
  if (/^[a-z/=,-]$/i.test(key)) return key.toLowerCase();
  // Keyboards where "=" needs Shift often have an unshifted plus, which people press instead.
  if (key === "+") return "=";
  return SYMBOL_KEYS[code] ?? code.replace(/^Key/, "").toLowerCase();
}

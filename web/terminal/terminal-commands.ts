// Owns the commands of the terminal kind, except those for its screen, its search and its files.

import type { Terminal } from "../../protocol/terminal.ts";
import type { CommandContext, Command } from "../commands/command.ts";
import { editOnly } from "../commands/command.ts";
import type { TerminalEntry } from "../session/terminal-list.ts";
import { listEnded, hasSteppedIn, takesInput } from "../session/terminal-list.ts";
import { canRestart, confirmShow, restart, takeOrHandOver } from "./terminal-actions.ts";

/** Shared by commands that open a terminal: one at a time. */
export const ONE_AT_A_TIME: Pick<Command, "isBusy" | "onBusy"> = {
  isBusy: ({ session }) => session.store.spawning.value,
  onBusy: ({ session }) => session.store.inputHold.refuseAnother(),
};

export const OPEN_TERMINAL: Command = {
  id: "terminal.open",
  title: "Open a terminal",
  keys: "Alt+N",
  ...ONE_AT_A_TIME,
  refusal: ({ session: { store } }) => {
    if (!store.reachable.peek())
      return store.overReason.peek() ?? "Not connected. Try again in a moment.";
    return store.readOnlyReason("open terminals");
  },
  run: ({ session }) => void session.spawn(),
};

/** Ended tabs stay until a person dismisses them, so that their output can be read. */
export const DISMISS_ENDED: Command = {
  id: "terminal.dismiss-ended",
  title: "Dismiss all ended tabs",
  keys: "Alt+Shift+W",
  isEnabled: ({ session: { store } }) => listEnded(store.terminals.value ?? []).length > 0,
  run: ({ session: { store } }) => {
    for (const id of listEnded(store.terminals.peek() ?? [])) store.dismiss(id);
  },
};

export const TAKE_OR_HAND_OVER: Command = {
  id: "terminal.type",
  title: "Take over typing, or hand it over",
  keys: "Alt+O",
  isEnabled: (context) => takesInput(findTargetTerminal(context)),
  refusal: editOnly("type"),
  run: withTerminal(({ id }, { session }) => takeOrHandOver(session, id)),
};

export const TOGGLE_PRIVATE: Command = {
  id: "terminal.private",
  title: "Make private (Edit links only), or show again",
  words: "hide",
  currentTitle: titleByState(({ private: isPrivate }) =>
    isPrivate ? "Show to agents and View links again" : "Make private (Edit links only)",
  ),
  keys: "Alt+P",
  isEnabled: (context) => takesInput(findTargetTerminal(context)),
  refusal: editOnly("change terminals"),
  run: withTerminal(({ id, private: isPrivate }, { session }) => {
    if (isPrivate) confirmShow(session, id);
    else session.send({ type: "pty:private", id, on: true });
  }),
};

export const TOGGLE_SIZE_LOCK: Command = {
  id: "terminal.pin",
  title: "Lock size, or unlock it",
  words: "pin keep",
  currentTitle: titleByState(({ pinned }) => (pinned ? "Unlock size" : "Lock size")),
  keys: "Alt+Z",
  isEnabled: (context) => takesInput(findTargetTerminal(context)),
  refusal: editOnly("change terminals"),
  run: withTerminal((terminal, { session }) => {
    session.send({ type: "pty:pin", id: terminal.id, on: terminal.pinned !== true });
  }),
};

export const AGENTS_TYPE: Command = {
  id: "terminal.agents-type",
  title: "Let agents type here, or stop them",
  currentTitle: titleByState(({ agentsType }) =>
    agentsType ? "Stop agents from typing here" : "Let agents type here",
  ),
  keys: "Alt+A",
  isEnabled: (context) => takesInput(findTargetTerminal(context)),
  refusal: editOnly("let agents type"),
  run: withTerminal(({ id, agentsType }, { session }) => {
    session.send({ type: "pty:agents-type", id, on: agentsType === undefined });
  }),
};

export const STEP_IN: Command = {
  id: "terminal.step-in",
  title: "Step into an agent’s terminal, or hand it back",
  keys: "Alt+I",
  isEnabled: (context) => isAgentProgram(findTargetTerminal(context)),
  refusal: editOnly("type"),
  run: (context) => {
    const known = findTargetTerminal(context);
    if (!known) return;
    const { id } = known.terminal;
    const isHere = hasSteppedIn(known, context.session.store.you.peek());
    context.session.send(isHere ? { type: "pty:hand-back", id } : { type: "pty:step-in", id });
  },
};

/** Has the same effect as the agent promoting it. */
export const KEEP_TERMINAL: Command = {
  id: "terminal.keep",
  title: "Keep an agent’s terminal as yours",
  keys: "Alt+K",
  isEnabled: (context) => isAgentProgram(findTargetTerminal(context)),
  refusal: editOnly("change terminals"),
  run: withTerminal(({ id }, { session }) => void session.send({ type: "pty:promote", id })),
};

export const HAND_BACK_HIDDEN: Command = {
  id: "terminal.hide",
  title: "Hand back and hide what was typed from agents",
  keys: "Alt+H",
  isEnabled: (context) =>
    hasSteppedIn(findTargetTerminal(context), context.session.store.you.peek()),
  run: withTerminal(({ id }, { session }) => {
    session.send({ type: "pty:hand-back", id, hide: true });
  }),
};

export const RENAME_TERMINAL: Command = {
  id: "terminal.rename",
  title: "Rename for everyone",
  words: "rename title",
  keys: "Alt+Shift+N",
  isEnabled: (context) =>
    findTargetTerminal(context)?.ended === undefined && findTargetTerminal(context) !== undefined,
  refusal: editOnly("change terminals"),
  run: withTerminal(({ id }, { session: { store } }) => {
    store.dialog.value = { kind: "rename", id };
  }),
};

/** F2 in the tab bar, as in file managers. */
export const RENAME_TAB: Command = {
  ...RENAME_TERMINAL,
  id: "tabs.rename",
  keys: "F2",
  scope: "tabs",
};

export const TOGGLE_RECORDING: Command = {
  id: "terminal.record",
  title: "Start or stop recording",
  currentTitle: titleByState(({ recording }) => (recording ? "Stop recording" : "Start recording")),
  keys: "Alt+Shift+E",
  isEnabled: (context) =>
    findTargetTerminal(context)?.ended === undefined && findTargetTerminal(context) !== undefined,
  refusal: editOnly("record"),
  run: withTerminal(({ id, recording }, { session }) => {
    session.send({ type: "pty:record", id, on: recording === undefined });
  }),
};

export const RESTART_TERMINAL: Command = {
  id: "terminal.restart",
  title: "Start an ended terminal again",
  keys: "Alt+Shift+R",
  isEnabled: (context) => canRestart(findTargetTerminal(context)),
  ...ONE_AT_A_TIME,
  refusal: (context) => OPEN_TERMINAL.refusal?.(context),
  run: withTerminal(({ id }, { session }) => void restart(session, id)),
};

/** Listed only for help: the terminal handles it, and without a selection its program gets the keys. */
export const COPY_SELECTION: Command = {
  id: "terminal.copy",
  title: "Copy the selection",
  keys: "Control+Shift+C",
};

/** Listed only for help: the browser pastes. */
export const PASTE_TEXT: Command = {
  id: "terminal.paste",
  title: "Paste",
  keys: "Control+Shift+V",
};

/** Whether it is an agent's running terminal, and not a mirror of commands, which takes no input. */
function isAgentProgram(one: TerminalEntry | undefined): boolean {
  if (one === undefined || one.ended) return false;
  return one.terminal.owner === "agent" && one.terminal.feed !== true;
}

function findTargetTerminal({ session, view }: CommandContext): TerminalEntry | undefined {
  return view?.kind === "terminal" ? session.store.findTerminal(view.terminalId) : undefined;
}

/** Returns a function that derives the title from the current state of the command's terminal. */
function titleByState(
  title: (terminal: Terminal) => string,
): (context: CommandContext) => string | undefined {
  return (context) => {
    const known = findTargetTerminal(context);
    return known && title(known.terminal);
  };
}

/** Wraps an action so that it gets the command's terminal; does nothing without one. */
function withTerminal(
  act: (terminal: Terminal, context: CommandContext) => void,
): (context: CommandContext) => void {
  return (context) => {
    const known = findTargetTerminal(context);
    if (known) act(known.terminal, context);
  };
}

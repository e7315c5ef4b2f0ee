// Owns the commands for a terminal's screen: scrolling, text size and copying. They affect only this page.

import type { Aim, Command } from "../commands/command.ts";
import { copyText } from "./clipboard.ts";
import { panelAt } from "./panels.ts";

const isTerminal = ({ view }: Aim): boolean => view?.kind === "terminal";

const NO_MARKS =
  "This shell doesn’t mark its commands. See “Terminals” in the docs to set that up.";

export const BOTTOM: Command = {
  id: "terminal.bottom",
  title: "Jump to the bottom",
  keys: "Alt+End",
  isEnabled: isTerminal,
  run: (aim) => panelAt(aim)?.toBottom(),
};

export const PREVIOUS_PROMPT: Command = jumping("previous", "Previous command", "Alt+PageUp");
export const NEXT_PROMPT: Command = jumping("next", "Next command", "Alt+PageDown");

export const COPY_OUTPUT: Command = {
  id: "terminal.copy-output",
  title: "Copy the command’s output",
  keys: "Alt+Shift+C",
  isEnabled: isTerminal,
  run: (aim) => void copyOutput(aim),
};

export const LARGER: Command = zooming("larger", "Larger text", "Alt+=", 1);
export const SMALLER: Command = zooming("smaller", "Smaller text", "Alt+-", -1);
export const NORMAL_LETTERS: Command = zooming(
  "normal",
  "Reset the text size",
  "Alt+Shift+0",
  undefined,
);

export const CLEAR: Command = {
  id: "terminal.clear",
  title: "Clear the scrollback on this page",
  keys: "Alt+Shift+K",
  isEnabled: isTerminal,
  run: (aim) => panelAt(aim)?.clear(),
};

export const SCREEN_COMMANDS = [
  BOTTOM,
  PREVIOUS_PROMPT,
  NEXT_PROMPT,
  COPY_OUTPUT,
  LARGER,
  SMALLER,
  NORMAL_LETTERS,
  CLEAR,
];

function jumping(to: "previous" | "next", title: string, keys: string): Command {
  return {
    id: `terminal.${to}-command`,
    title,
    keys,
    isEnabled: isTerminal,
    run: (aim) => {
      if (panelAt(aim)?.marks.jump(to) === false) aim.session.store.toast(NO_MARKS);
    },
  };
}

function zooming(id: string, title: string, keys: string, by: number | undefined): Command {
  return {
    id: `terminal.${id}`,
    title,
    keys,
    isEnabled: isTerminal,
    run: (aim) => panelAt(aim)?.zoom(by),
  };
}

async function copyOutput(aim: Aim): Promise<void> {
  const { store } = aim.session;
  const text = panelAt(aim)?.marks.output();
  if (text === undefined) return store.toast(NO_MARKS);
  const lines = text.split("\n").length - 1;
  const isDone = await copyText(text);
  return store.toast(
    isDone
      ? `Copied ${lines === 1 ? "1 line" : `${lines} lines`} of output.`
      : "This browser blocked copying.",
  );
}

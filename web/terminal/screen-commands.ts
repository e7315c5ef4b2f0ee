// Owns the commands for a terminal's screen: scrolling, text size and copying. They affect only
// this page. Also owns the command that uploads files to the host. And the commands for finding
// text in a terminal. All but the first work only in the find bar.

import type { CommandContext, Command } from "../commands/command.ts";
import { editOnly } from "../commands/command.ts";
import { copyText } from "./clipboard.ts";
import type { Finder } from "./find/find-bar.tsx";
import { findPanel } from "./panel-registry.ts";

const isTerminal = ({ view }: CommandContext): boolean => view?.kind === "terminal";

const NO_MARKS =
  "This shell doesn’t mark its commands. See “Terminals” in the docs to set that up.";

export const JUMP_TO_BOTTOM: Command = {
  id: "terminal.bottom",
  title: "Jump to the bottom",
  keys: "Alt+End",
  isEnabled: isTerminal,
  run: (context) => findPanel(context)?.scrollToBottom(),
};

export const PREVIOUS_PROMPT: Command = createJumpCommand(
  "previous",
  "Previous command",
  "Alt+PageUp",
);
export const NEXT_PROMPT: Command = createJumpCommand("next", "Next command", "Alt+PageDown");

export const COPY_OUTPUT: Command = {
  id: "terminal.copy-output",
  title: "Copy the command’s output",
  keys: "Alt+Shift+C",
  isEnabled: isTerminal,
  run: (context) => void copyOutput(context),
};

export const LARGER_TEXT: Command = createZoomCommand("larger", "Larger text", "Alt+=", 1);
export const SMALLER_TEXT: Command = createZoomCommand("smaller", "Smaller text", "Alt+-", -1);
export const RESET_FONT_SIZE: Command = createZoomCommand(
  "normal",
  "Reset the text size",
  "Alt+Shift+0",
  undefined,
);

export const CLEAR_SCROLLBACK: Command = {
  id: "terminal.clear",
  title: "Clear the scrollback on this page",
  keys: "Alt+Shift+K",
  isEnabled: isTerminal,
  run: (context) => findPanel(context)?.clear(),
};

export const SCREEN_COMMANDS = [
  JUMP_TO_BOTTOM,
  PREVIOUS_PROMPT,
  NEXT_PROMPT,
  COPY_OUTPUT,
  LARGER_TEXT,
  SMALLER_TEXT,
  RESET_FONT_SIZE,
  CLEAR_SCROLLBACK,
];

function createJumpCommand(to: "previous" | "next", title: string, keys: string): Command {
  return {
    id: `terminal.${to}-command`,
    title,
    keys,
    isEnabled: isTerminal,
    run: (context) => {
      if (findPanel(context)?.shellIntegration.jumpToPrompt(to) === false)
        context.session.store.toast(NO_MARKS);
    },
  };
}

function createZoomCommand(
  id: string,
  title: string,
  keys: string,
  by: number | undefined,
): Command {
  return {
    id: `terminal.${id}`,
    title,
    keys,
    isEnabled: isTerminal,
    run: (context) => findPanel(context)?.sizing.zoom(by),
  };
}

async function copyOutput(context: CommandContext): Promise<void> {
  const { store } = context.session;
  const text = findPanel(context)?.shellIntegration.getOutput();
  if (text === undefined) return store.toast(NO_MARKS);
  const lines = text.split("\n").length - 1;
  const isDone = await copyText(text);
  return store.toast(
    isDone
      ? `Copied ${lines === 1 ? "1 line" : `${lines} lines`} of output.`
      : "This browser blocked copying.",
  );
}

export const SEND_FILES: Command = {
  id: "terminal.send-files",
  title: "Upload files and insert their paths",
  keys: "Alt+Shift+U",
  isEnabled: ({ view }) => view?.kind === "terminal",
  refusal: editOnly("send files"),
  run: (context) => findPanel(context)?.fileDrop.choose(),
};

export const FIND: Command = {
  id: "terminal.find",
  title: "Find in the terminal",
  keys: "Control+Shift+F",
  isEnabled: ({ view }) => view?.kind === "terminal",
  run: (context) => void findPanel(context)?.openSearch(),
};

export const OLDER = createFindCommand("find.older", "Older match", "Enter", (finder) =>
  finder.findOlder(),
);

export const NEWER = createFindCommand("find.newer", "Newer match", "Shift+Enter", (finder) =>
  finder.findNewer(),
);

export const MATCH_CASE = createFindCommand("find.case", "Toggle match case", "Alt+C", (finder) =>
  finder.toggle("caseSensitive"),
);

export const REGEX = createFindCommand(
  "find.regex",
  "Toggle regular expression",
  "Alt+R",
  (finder) => finder.toggle("regex"),
);

export const LEAVE_FIND: Command = {
  id: "find.leave",
  title: "Back to the terminal",
  keys: "Escape",
  scope: "find",
  run: (context) => findPanel(context)?.closeSearch(),
};

export const FIND_COMMANDS = [FIND, OLDER, NEWER, MATCH_CASE, REGEX, LEAVE_FIND];

function createFindCommand(
  id: string,
  title: string,
  keys: string,
  run: (finder: Finder) => void,
): Command {
  return {
    id,
    title,
    keys,
    scope: "find",
    run: (context: CommandContext) => {
      const finder = findPanel(context)?.search.peek()?.finder;
      if (finder) run(finder);
    },
  };
}

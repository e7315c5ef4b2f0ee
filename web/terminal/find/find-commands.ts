// Owns the commands for finding text in a terminal. All but the first work only in the find bar.

import type { CommandContext, Command } from "../../commands/command.ts";
import { findPanel } from "../panel-registry.ts";
import type { Finder } from "./finder.ts";

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

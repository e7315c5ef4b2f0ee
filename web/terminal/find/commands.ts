// Owns the commands for finding text in a terminal. All but the first work only in the find bar.

import type { Aim, Command } from "../../commands/command.ts";
import { panelAt } from "../panels.ts";
import type { Finder } from "./finder.ts";

export const FIND: Command = {
  id: "terminal.find",
  title: "Find in the terminal",
  keys: "Control+Shift+F",
  isEnabled: ({ view }) => view?.kind === "terminal",
  run: (aim) => void panelAt(aim)?.find(),
};

export const OLDER = finding("find.older", "Older match", "Enter", (finder) => finder.older());

export const NEWER = finding("find.newer", "Newer match", "Shift+Enter", (finder) =>
  finder.newer(),
);

export const MATCH_CASE = finding("find.case", "Toggle match case", "Alt+C", (finder) =>
  finder.toggle("caseSensitive"),
);

export const REGEX = finding("find.regex", "Toggle regular expression", "Alt+R", (finder) =>
  finder.toggle("regex"),
);

export const LEAVE_FIND: Command = {
  id: "find.leave",
  title: "Back to the terminal",
  keys: "Escape",
  scope: "find",
  run: (aim) => panelAt(aim)?.endFind(),
};

export const FIND_COMMANDS = [FIND, OLDER, NEWER, MATCH_CASE, REGEX, LEAVE_FIND];

function finding(id: string, title: string, keys: string, run: (finder: Finder) => void): Command {
  return {
    id,
    title,
    keys,
    scope: "find",
    run: (aim: Aim) => {
      const finder = panelAt(aim)?.finding.peek()?.finder;
      if (finder) run(finder);
    },
  };
}

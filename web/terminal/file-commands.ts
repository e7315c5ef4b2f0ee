// Owns the command that uploads files to the host.

import type { Command } from "../commands/command.ts";
import { editOnly } from "../commands/command.ts";
import { panelAt } from "./panels.ts";

export const SEND_FILES: Command = {
  id: "terminal.send-files",
  title: "Upload files and insert their paths",
  keys: "Alt+Shift+U",
  isEnabled: ({ view }) => view?.kind === "terminal",
  refusal: editOnly("send files"),
  run: (aim) => panelAt(aim)?.giving.choose(),
};

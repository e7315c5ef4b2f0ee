// Owns the command that uploads files to the host.

import type { Command } from "../commands/command.ts";
import { editOnly } from "../commands/command.ts";
import { findPanel } from "./panel-registry.ts";

export const SEND_FILES: Command = {
  id: "terminal.send-files",
  title: "Upload files and insert their paths",
  keys: "Alt+Shift+U",
  isEnabled: ({ view }) => view?.kind === "terminal",
  refusal: editOnly("send files"),
  run: (context) => findPanel(context)?.fileDrop.choose(),
};

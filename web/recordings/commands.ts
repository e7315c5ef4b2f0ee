// Owns the command that lists recordings.

import type { Command } from "../commands/command.ts";
import { editOnly } from "../commands/command.ts";

export const RECORDINGS: Command = {
  id: "page.recordings",
  title: "Recordings: replay, download, delete",
  keys: "Alt+Shift+V",
  refusal: editOnly("open recordings"),
  run: ({ session }) => {
    session.store.dialog.value = { kind: "recordings" };
  },
};

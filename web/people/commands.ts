// Owns the commands about people.

import type { Command } from "../commands/command.ts";

export const PEOPLE: Command = {
  id: "page.people",
  title: "Show who is here",
  keys: "Alt+U",
  isEnabled: ({ session }) => session.store.people.all.value !== undefined,
  run: ({ session }) => {
    session.store.dialog.value = { kind: "people" };
  },
};

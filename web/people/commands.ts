// Owns the commands about people.

import type { Command } from "../commands/command.ts";

export const CONNECT: Command = {
  id: "page.connect",
  title: "Connect an agent",
  words: "mcp ai assistant",
  keys: "Alt+Shift+G",
  refusal: ({ session: { store } }) =>
    store.people.you.peek()?.mayShare === true
      ? undefined
      : "This link cannot create tokens. On the host’s machine, run: pairpty connect <client>",
  run: ({ session }) => {
    session.store.dialog.value = { kind: "connect" };
  },
};

export const PEOPLE: Command = {
  id: "page.people",
  title: "Show who is here",
  words: "people share invite guests",
  keys: "Alt+U",
  isEnabled: ({ session }) => session.store.people.all.value !== undefined,
  run: ({ session }) => {
    session.store.dialog.value = { kind: "people" };
  },
};

// Owns the lists of all kinds of views and of all commands besides the frame's. A new kind is a folder and a
// row here; the row's name is the `kind` of its views.

import { QUESTION_COMMANDS } from "./approvals/approval-commands.ts";
import type { Command } from "./commands/command.ts";
import { AGENTS } from "./agents/kind.tsx";
import { CONVERSATIONS } from "./conversation/kind.tsx";
import { CONNECT, PEOPLE } from "./people/commands.ts";
import { RECORDINGS } from "./recordings/commands.ts";
import { SPLIT_COMMANDS } from "./splits/split-commands.ts";
import { TERMINALS } from "./terminal/terminal-kind.tsx";

export const KINDS = { terminal: TERMINALS, conversation: CONVERSATIONS, agents: AGENTS };

export const COMMANDS: readonly Command[] = [
  ...Object.values(KINDS).flatMap((kind) => kind.commands),
  ...QUESTION_COMMANDS,
  PEOPLE,
  CONNECT,
  RECORDINGS,
  ...SPLIT_COMMANDS,
];

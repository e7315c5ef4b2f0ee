// Owns the lists of what the page has: all kinds of views, and the commands beside the frame's own. A
// new kind is a folder and a row here; its name is the `kind` of its views.

import { QUESTION_COMMANDS } from "./approvals/commands.ts";
import type { Command } from "./commands/command.ts";
import { CONVERSATIONS } from "./conversation/kind.ts";
import { PEOPLE } from "./people/commands.ts";
import { TERMINALS } from "./terminal/kind.ts";

export const KINDS = { terminal: TERMINALS, conversation: CONVERSATIONS };

export const COMMANDS: readonly Command[] = [
  ...Object.values(KINDS).flatMap((kind) => kind.commands),
  ...QUESTION_COMMANDS,
  PEOPLE,
];

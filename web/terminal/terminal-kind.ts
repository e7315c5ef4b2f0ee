// Owns the terminal as a kind of view, listed in kinds.ts.

import type { TerminalView } from "../session/terminal-list.ts";
import { toTerminalView } from "../session/terminal-list.ts";
import type { ViewKind } from "../views/view.ts";
import { requestClose } from "./terminal-actions.ts";
import { TerminalNotices } from "./terminal-notices.tsx";
import {
  AGENTS_TYPE,
  COPY,
  DISMISS_ENDED,
  HIDE,
  KEEP,
  OPEN,
  PASTE,
  PIN,
  PRIVATE,
  RECORD,
  RENAME,
  RENAME_TAB,
  RESTART,
  STEP_IN,
  TYPE,
} from "./terminal-commands.ts";
import { FIND_COMMANDS } from "./find/find-commands.ts";
import { summarizeTerminal } from "./terminal-summary.ts";
import { SEND_FILES } from "./file-commands.ts";
import { SCREEN_COMMANDS } from "./screen-commands.ts";
import { loadPanel, TerminalBody } from "./terminal-view.tsx";

export const TERMINALS: ViewKind<TerminalView> = {
  key: ({ terminalId }) => terminalId,
  list: (store) => store.tabbed.value?.map(({ terminal }) => toTerminalView(terminal.id)),
  summarize: (store, { terminalId }) => summarizeTerminal(store, terminalId),
  rename: RENAME,
  close: (session, { terminalId }) => requestClose(session, terminalId),
  Body: TerminalBody,
  Notices: TerminalNotices,
  open: OPEN,
  commands: [
    OPEN,
    DISMISS_ENDED,
    TYPE,
    PRIVATE,
    PIN,
    AGENTS_TYPE,
    STEP_IN,
    HIDE,
    KEEP,
    RENAME,
    RENAME_TAB,
    RESTART,
    COPY,
    PASTE,
    SEND_FILES,
    RECORD,
    ...FIND_COMMANDS,
    ...SCREEN_COMMANDS,
  ],
  preload: loadPanel,
};

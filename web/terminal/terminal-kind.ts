// Owns the terminal as a kind of view, listed in kinds.ts.

import type { TerminalView } from "../session/terminal-list.ts";
import { toTerminalView } from "../session/terminal-list.ts";
import type { ViewKind } from "../views/view.ts";
import { requestClose } from "./terminal-actions.ts";
import { TerminalNotices } from "./terminal-notices.tsx";
import {
  AGENTS_TYPE,
  COPY_SELECTION,
  DISMISS_ENDED,
  HAND_BACK_HIDDEN,
  KEEP_TERMINAL,
  OPEN_TERMINAL,
  PASTE_TEXT,
  TOGGLE_SIZE_LOCK,
  TOGGLE_PRIVATE,
  TOGGLE_RECORDING,
  RENAME_TERMINAL,
  RENAME_TAB,
  RESTART_TERMINAL,
  STEP_IN,
  TAKE_OR_HAND_OVER,
} from "./terminal-commands.ts";
import { FIND_COMMANDS } from "./find/find-commands.ts";
import { summarizeTerminal } from "./terminal-summary.ts";
import { SEND_FILES } from "./file-commands.ts";
import { SCREEN_COMMANDS } from "./screen-commands.ts";
import { loadPanel, TerminalBody } from "./terminal-view.tsx";

export const TERMINALS: ViewKind<TerminalView> = {
  key: ({ terminalId }) => terminalId,
  list: (store) => store.tabbedTerminals.value?.map(({ terminal }) => toTerminalView(terminal.id)),
  summarize: (store, { terminalId }) => summarizeTerminal(store, terminalId),
  rename: RENAME_TERMINAL,
  close: (session, { terminalId }) => requestClose(session, terminalId),
  Body: TerminalBody,
  Notices: TerminalNotices,
  open: OPEN_TERMINAL,
  commands: [
    OPEN_TERMINAL,
    DISMISS_ENDED,
    TAKE_OR_HAND_OVER,
    TOGGLE_PRIVATE,
    TOGGLE_SIZE_LOCK,
    AGENTS_TYPE,
    STEP_IN,
    HAND_BACK_HIDDEN,
    KEEP_TERMINAL,
    RENAME_TERMINAL,
    RENAME_TAB,
    RESTART_TERMINAL,
    COPY_SELECTION,
    PASTE_TEXT,
    SEND_FILES,
    TOGGLE_RECORDING,
    ...FIND_COMMANDS,
    ...SCREEN_COMMANDS,
  ],
  preload: loadPanel,
};

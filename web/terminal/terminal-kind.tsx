// Owns the view of one terminal: the panel, loaded when first shown, and the strip below it. Also
// owns the terminal as a kind of view, listed in kinds.ts.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { getHints } from "../commands/command.ts";
import { useVisit } from "../context.ts";
import { lazyComponent } from "../lazy.tsx";
import type { TerminalView } from "../session/terminal-list.ts";
import { takesKeys, toTerminalView } from "../session/terminal-list.ts";
import type { ViewKind } from "../views/view.ts";
import { DriverStrip } from "./driver-strip.tsx";
import { prepareRenderer } from "./renderer.ts";
import { JUMP_TO_BOTTOM, FIND_COMMANDS, SEND_FILES, SCREEN_COMMANDS } from "./screen-commands.ts";
import "./screen.css";
import { formatNewLines } from "./scroll-indicator.ts";
import { requestClose } from "./terminal-actions.ts";
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
import { TerminalNotices } from "./terminal-notices.tsx";
import type { TerminalPanel } from "./terminal-panel.ts";
import { summarizeTerminal } from "./terminal-summary.ts";

const loadEndStrip = async () => (await import("./end-strip.tsx")).EndStrip;
const EndStrip = lazyComponent(loadEndStrip, () => <div class="strip" />);

/** Delays the preload so that the first prompt has the network to itself. */
const PRELOAD_MS = 1_000;

/** Its space is reserved from the start, so that the terminal above it keeps its size. */
const KeyBar = lazyComponent(
  async () => (await import("./key-bar.tsx")).KeyBar,
  () => <div class="key-bar" />,
);

let loaded: typeof TerminalPanel | undefined;

/** Loads xterm and the panel: most of the page's size, and not needed for the first paint. */
async function loadPanel(): Promise<typeof TerminalPanel> {
  const [{ TerminalPanel }] = await Promise.all([import("./terminal-panel.ts"), prepareRenderer()]);
  loaded = TerminalPanel;
  return TerminalPanel;
}

function TerminalBody({ view, active }: { view: TerminalView; active: boolean }) {
  const { session, commands } = useVisit();
  const { store } = session;
  const id = view.terminalId;
  const known = store.findTerminal(id);
  const host = useRef<HTMLDivElement>(null);
  const [panel, setPanel] = useState<TerminalPanel>();

  // A layout effect: keys typed right after a switch of tabs must reach the new terminal.
  useLayoutEffect(() => {
    let wanted = true;
    let created: TerminalPanel | undefined;
    const make = async (): Promise<void> => {
      try {
        const Panel = loaded ?? (await loadPanel());
        if (!wanted || !host.current) return;
        created = new Panel(id, session, commands, host.current);
        setPanel(created);
      } catch {
        store.toast("Part of the page did not load. Reload the page.");
      }
    };
    void make();
    return () => {
      wanted = false;
      created?.dispose();
    };
  }, [id, session]);

  const focus = store.views.focus.value;
  // A layout effect, or the first keys after a switch would go elsewhere.
  useLayoutEffect(() => {
    // On a phone the focus opens the keyboard, which a page load should not do.
    if (focus === 0 && matchMedia("(pointer: coarse)").matches) return;
    if (active && !store.dialog.peek()) panel?.focus();
  }, [focus, panel]);
  const isPrompted = store.hasPrompted.value;
  // Preloaded: when a terminal ends with its host, the relay that serves this file may be gone, too.
  useEffect(() => {
    if (!isPrompted) return undefined;
    const timer = setTimeout(() => void loadEndStrip().catch(() => undefined), PRELOAD_MS);
    return () => clearTimeout(timer);
  }, [isPrompted]);
  const isShown = store.views.isShown(view);
  // Also when it becomes hidden: a hidden viewer does not affect the size.
  useEffect(() => panel?.sizing.refit(), [isShown, active, focus, panel]);

  const finding = panel?.search.value;
  const touch = panel?.touch.loaded.value;
  const uploads = panel?.fileDrop.uploads.value;
  const newLines = panel?.scrollIndicator.newLines.value;
  const mayType = takesKeys(known, store.you.value) && store.mayEdit.value;
  return (
    <>
      <div class="screen">
        <div class="host" ref={host} data-foreign={panel?.sizing.shown.value?.foreign} />
        {panel && newLines !== undefined && (
          <button
            type="button"
            class="to-bottom"
            {...getHints(JUMP_TO_BOTTOM)}
            onClick={() => panel.scrollToBottom()}
          >
            ↓ {formatNewLines(newLines)}
          </button>
        )}
        {uploads && <uploads.Cards sending={uploads.sending} />}
        {panel && finding && (
          <finding.Bar finder={finding.finder} onLeave={() => panel.closeSearch()} />
        )}
        {panel && touch && (
          <touch.Overlay
            selection={touch.input.selection}
            isPasting={touch.input.isPasting}
            onText={(text) => panel.pasteText(text)}
            onCopy={() => void panel.copySelection()}
            onPaste={mayType ? () => void panel.paste() : undefined}
          />
        )}
      </div>
      {panel && mayType && hasFingers() && <KeyBar panel={panel} />}
      {known?.ended && <EndStrip view={view} ended={known.ended} />}
      {known && !known.ended && <DriverStrip known={known} active={active} panel={panel} />}
    </>
  );
}

/** Whether a finger could be the pointer: the style sheet shows the keys only while it is. */
function hasFingers(): boolean {
  return matchMedia("(any-pointer: coarse)").matches;
}

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

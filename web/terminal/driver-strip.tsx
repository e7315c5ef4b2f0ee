// Owns the strip below a terminal: who is typing, how many watch, and buttons to change that. It is always
// shown, because hiding it would change the terminal's size.

import { useEffect, useState } from "preact/hooks";
import { getHints } from "../commands/command.ts";
import { useSession } from "../context.ts";
import { lazyComponent } from "../lazy.tsx";
import {
  isTypingHere,
  countWatchers,
  formatSizeOwner,
  formatTyping,
} from "../session/driver-state.ts";
import type { TerminalEntry } from "../session/terminal-list.ts";
import { takesInput, toTerminalView } from "../session/terminal-list.ts";
import { askToType, takeOver } from "./terminal-actions.ts";
import { TAKE_OR_HAND_OVER } from "./terminal-commands.ts";
import { TerminalMenu } from "./terminal-menu.tsx";
import type { ShownSize } from "./terminal-sizing.ts";
import type { TerminalPanel } from "./terminal-panel.ts";

const AgentWords = lazyComponent(async () => (await import("./step-in-controls.tsx")).AgentStatus);
const StepButtons = lazyComponent(async () => (await import("./step-in-controls.tsx")).StepButtons);

const Recording = lazyComponent(async () => (await import("./strip-marks.tsx")).Recording);
const AgentsType = lazyComponent(async () => (await import("./strip-marks.tsx")).AgentsType);

/** Minimum interval between two requests to type. */
const ASK_AGAIN_MS = 15_000;

export interface DriverStripProps {
  known: TerminalEntry;
  /** Whether keys go to this terminal; in a split, true for one pane. */
  active: boolean;
  /** Undefined while it loads. */
  panel: TerminalPanel | undefined;
}

export function DriverStrip({ known, active, panel }: DriverStripProps) {
  const { store } = useSession();
  const { id } = known.terminal;
  // While the host is offline, the last known driver is outdated.
  const driving = store.reachable.value ? store.findDriver(id) : undefined;
  const others = store.people.all.value && store.people.others.value;
  const watching = driving ? countWatchers(id, driving, others) : 0;
  const size = panel?.sizing.shown.value;
  const sizeOwner = driving && formatSizeOwner(driving, store.you.value);
  const mayType = store.mayEdit.value && takesInput(known);
  const isAgents = known.terminal.owner === "agent";
  const isOthers = driving?.who === "other";
  const isTyping =
    driving?.who === "you"
      ? active
      : driving && isTypingHere(id, driving, store.people.others.value);
  const isClosing = store.closing.value.has(id);
  const whoTypes = driving ? formatTyping(driving, isTyping === true) : "";
  const typingText = isClosing ? "Closing…" : whoTypes;
  return (
    <div class="strip" role="group" aria-label="Who is typing">
      <p class="who" data-who={driving?.who} aria-live="polite">
        {driving && <span class="dot" aria-hidden="true" />}
        {isAgents && !isClosing ? (
          <AgentWords known={known} />
        ) : (
          <span title={typingText}>{typingText}</span>
        )}
      </p>
      <p class="spare">
        {size && !size.isWhole && (
          <span
            class="scroll-hint"
            title="The terminal is larger than this view: scroll to see all"
          >
            Scroll<span class="if-wide"> to see all</span> →
          </span>
        )}
        {watching > 0 && <span class="watchers">{watching} watching</span>}
        {size && (
          <span class="size" title={`${size.cols} columns × ${size.rows} rows`}>
            {formatSize(size)}
          </span>
        )}
        {known.terminal.pinned && !driving && <span class="size">pinned</span>}
        {sizeOwner && <span class="size whose">{sizeOwner}</span>}
      </p>
      <div class="strip-end">
        {known.terminal.private && (
          <span class="mark if-wide" title="Hidden from agents and View links">
            Private
          </span>
        )}
        {known.terminal.recording && <Recording known={known} />}
        {known.terminal.agentsType && <AgentsType known={known} />}
        {isAgents && <StepButtons known={known} />}
        {mayType && isOthers && <AskButton key={driving.label} id={id} />}
        {mayType && (isOthers || (driving?.who === "nobody" && size?.foreign)) && (
          <TakeOverButton id={id} />
        )}
        <TerminalMenu view={toTerminalView(id)} />
      </div>
    </div>
  );
}

/** Formats the size. On a phone the screen may be larger than the view, because fitting text would be too small. */
function formatSize({ cols, rows, scaled, isWhole }: ShownSize): string {
  if (!isWhole) return `${cols}×${rows}`;
  return scaled ? "Scaled to fit" : `${cols}×${rows}`;
}

function TakeOverButton({ id }: { id: string }) {
  const session = useSession();
  return (
    <button
      type="button"
      class="quiet"
      {...getHints(TAKE_OR_HAND_OVER, "Type here, at this window’s size")}
      onClick={() => takeOver(session, id)}
    >
      Take over
    </button>
  );
}

function AskButton({ id }: { id: string }) {
  const session = useSession();
  const [hasAsked, setHasAsked] = useState(false);
  useEffect(() => {
    if (!hasAsked) return undefined;
    const timer = setTimeout(() => setHasAsked(false), ASK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [hasAsked]);
  return (
    <button
      type="button"
      class="quiet"
      aria-disabled={hasAsked}
      onClick={() => {
        if (!hasAsked) setHasAsked(askToType(session, id));
      }}
    >
      {hasAsked ? "Asked" : "Ask"}
      {!hasAsked && <span class="if-wide"> to type</span>}
    </button>
  );
}

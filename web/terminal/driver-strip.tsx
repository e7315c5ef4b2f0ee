// Owns the strip below a terminal: who is typing, how many watch, and buttons to change that. It is always
// shown, because hiding it would change the terminal's size.

import { useEffect, useState } from "preact/hooks";
import { aimOf, hintsOf, perform } from "../commands/command.ts";
import { useSession } from "../context.ts";
import { lazily } from "../lazy.tsx";
import { typesHere, watchers, whoseSize, whoTypes } from "../session/driving.ts";
import type { Known } from "../session/terminals.ts";
import { takesInput, viewOf } from "../session/terminals.ts";
import { askFor, takeOver } from "./actions.ts";
import { AGENTS_TYPE, RECORD, TYPE } from "./commands.ts";
import { TerminalMenu } from "./menu.tsx";
import type { Layout, TerminalPanel } from "./panel.ts";

const AgentWords = lazily(async () => (await import("./stepping.tsx")).AgentWords);
const StepButtons = lazily(async () => (await import("./stepping.tsx")).StepButtons);

/** Minimum interval between two requests to type. */
const ASK_AGAIN_MS = 15_000;

export interface DriverStripProps {
  known: Known;
  /** Whether keys go to this terminal; in a split, true for one pane. */
  active: boolean;
  /** Undefined while it loads. */
  panel: TerminalPanel | undefined;
}

export function DriverStrip({ known, active, panel }: DriverStripProps) {
  const { store } = useSession();
  const { id } = known.terminal;
  // While the host is offline, the last known driver is outdated.
  const driving = store.reachable.value ? store.driving(id) : undefined;
  const others = store.people.all.value && store.people.others.value;
  const watching = driving ? watchers(id, driving, others) : 0;
  const size = panel?.layoutSize.value;
  const whose = driving && whoseSize(driving, store.you.value);
  const mayType = store.mayEdit.value && takesInput(known);
  const isAgents = known.terminal.owner === "agent";
  const isOthers = driving?.who === "other";
  const isHere =
    driving?.who === "you" ? active : driving && typesHere(id, driving, store.people.others.value);
  const says = driving ? whoTypes(driving, isHere === true) : "";
  return (
    <div class="strip" role="group" aria-label="Who is typing">
      <p class="who" data-who={driving?.who} aria-live="polite">
        {driving && <span class="dot" aria-hidden="true" />}
        {isAgents ? <AgentWords known={known} /> : <span title={says}>{says}</span>}
      </p>
      <p class="spare">
        {watching > 0 && <span class="watchers">{watching} watching</span>}
        {size && (
          <span class="size" title={`${size.cols} columns × ${size.rows} rows`}>
            {sizeWords(size)}
          </span>
        )}
        {known.terminal.pinned && !driving && <span class="size">pinned</span>}
        {whose && <span class="size whose">{whose}</span>}
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
        <TerminalMenu view={viewOf(id)} />
      </div>
    </div>
  );
}

/** Formats the size. On a phone the screen may be larger than the view, because fitting text would be too small. */
function sizeWords({ cols, rows, scaled, isWhole }: Layout): string {
  if (!isWhole) return `${cols}×${rows}, scroll to see all`;
  return scaled ? "Scaled to fit" : `${cols}×${rows}`;
}

/** Shows everyone that the terminal is recorded; users with edit rights can stop it. */
function Recording({ known }: { known: Known }) {
  const session = useSession();
  const { id, recording } = known.terminal;
  return (
    <>
      <span class="mark bad" title={`${recording?.by} is recording this terminal`}>
        ● Recording
      </span>
      {session.store.mayEdit.value && (
        <button
          type="button"
          class="quiet"
          {...hintsOf(RECORD, "Stop recording")}
          onClick={() => perform(RECORD, aimOf(session, viewOf(id)))}
        >
          Stop
        </button>
      )}
    </>
  );
}

/** Shows everyone that agents may type; users with edit rights can stop them. */
function AgentsType({ known }: { known: Known }) {
  const session = useSession();
  const names = (known.terminal.agentsType ?? []).map(({ grant, label }) => label || grant);
  return (
    <>
      <span class="mark warn" title={names.join(", ")}>
        Agents can type
      </span>
      {session.store.mayEdit.value && (
        <button
          type="button"
          class="quiet"
          {...hintsOf(AGENTS_TYPE, "Stop agents from typing here")}
          onClick={() => perform(AGENTS_TYPE, aimOf(session, viewOf(known.terminal.id)))}
        >
          Stop
        </button>
      )}
    </>
  );
}

function TakeOverButton({ id }: { id: string }) {
  const session = useSession();
  return (
    <button
      type="button"
      class="quiet"
      {...hintsOf(TYPE, "Type here, at this window’s size")}
      onClick={() => takeOver(session, id)}
    >
      Take over
    </button>
  );
}

function AskButton({ id }: { id: string }) {
  const session = useSession();
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    if (!asked) return undefined;
    const timer = setTimeout(() => setAsked(false), ASK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [asked]);
  return (
    <button
      type="button"
      class="quiet"
      aria-disabled={asked}
      onClick={() => {
        if (!asked) setAsked(askFor(session, id));
      }}
    >
      {asked ? "Asked" : "Ask"}
      {!asked && <span class="if-wide"> to type</span>}
    </button>
  );
}

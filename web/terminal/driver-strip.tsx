// Owns the line below a terminal: who drives, how many look on, and the ways to change that. It is
// always there: one that came and went would change what fits above it.

import { useEffect, useState } from "preact/hooks";
import type { Driving } from "../session/driving.ts";
import { whoDrives } from "../session/driving.ts";
import type { Tab } from "../session/tabs.ts";
import { takesInput } from "../session/tabs.ts";
import { askFor, takeOver } from "../ui/actions.ts";
import { useSession } from "../ui/context.ts";
import type { TerminalPanel } from "./panel.ts";

/** Asking again sooner than this would be nagging. */
const ASK_AGAIN_MS = 15_000;

export interface DriverStripProps {
  tab: Tab;
  /** Undefined while it is being loaded. */
  panel: TerminalPanel | undefined;
}

export function DriverStrip({ tab, panel }: DriverStripProps) {
  const { store } = useSession();
  const { id } = tab.terminal;
  const driving = store.driving(id);
  const size = panel?.layoutSize.value;
  const mayDrive = store.mayEdit.value && store.reachable.value && takesInput(tab);
  return (
    <div class="strip" role="group" aria-label="Who drives">
      <p class="who" data-who={driving?.who} aria-live="polite">
        {driving && <span class="dot" aria-hidden="true" />}
        <span>{wordsFor(tab, driving)}</span>
        {driving && driving.viewers > 1 && <span class="others">{driving.viewers} here</span>}
      </p>
      <div class="strip-end">
        {size && (
          <span
            class="size"
            title={size.foreign ? "Laid out for another window, made to fit here" : undefined}
          >
            {size.cols}×{size.rows}
            {size.foreign && <span class="visually-hidden">, made to fit here</span>}
          </span>
        )}
        {mayDrive && driving?.who === "other" && <AskButton key={driving.label} id={id} />}
        {mayDrive &&
          driving &&
          driving.who !== "you" &&
          (driving.who === "other" || size?.foreign) && <TakeOverButton id={id} />}
      </div>
    </div>
  );
}

function wordsFor(tab: Tab, driving: Driving | undefined): string {
  if (tab.terminal.owner === "agent") return "An agent works here";
  return driving ? whoDrives(driving) : "";
}

function TakeOverButton({ id }: { id: string }) {
  const session = useSession();
  return (
    <button
      type="button"
      class="quiet"
      title="Type and size from here (Alt+O). Typing does the same."
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
      {!asked && <span class="if-wide"> for control</span>}
    </button>
  );
}

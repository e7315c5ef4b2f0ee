// Owns the agents view: agents' terminals above, the timeline below. Loaded when it is first shown.
// Also owns the list of agents' terminals: the agent, what runs, for how long, its isolation, and
// the actions for people.

import { useEffect, useRef } from "preact/hooks";
import { formatDuration } from "../../protocol/formats.ts";
import { CommandButton } from "../commands/command-button.tsx";
import { useSession, useNow } from "../context.ts";
import { formatAgentName } from "../session/conversations.ts";
import type { TerminalEntry } from "../session/terminal-list.ts";
import { hasTab, hasSteppedIn, toTerminalView } from "../session/terminal-list.ts";
import { formatTerminalEnd, formatName } from "../session/terminal-names.ts";
import { showInvisible } from "../session/visible-text.ts";
import { requestClose } from "../terminal/terminal-actions.ts";
import { AGENTS_TYPE, KEEP_TERMINAL, STEP_IN } from "../terminal/terminal-commands.ts";
import { getEndTone } from "../terminal/terminal-summary.ts";
import "./agents.css";
import { TimelineList } from "./timeline-list.tsx";

export function AgentsPane({ active }: { active: boolean }) {
  const { store } = useSession();
  const pane = useRef<HTMLDivElement>(null);
  const focus = store.views.focus.value;
  useEffect(() => {
    if (active && focus > 0 && !store.dialog.peek()) pane.current?.focus();
  }, [active, focus]);
  return (
    <div ref={pane} class="agents" tabIndex={-1}>
      <AgentTerminals />
      <TimelineList />
    </div>
  );
}

export function AgentTerminals() {
  const { store } = useSession();
  const agentTerminals = (store.terminals.value ?? []).filter(isAgentTerminal);
  const running = agentTerminals.filter(({ ended }) => !ended).length;
  return (
    <details class="agents-section" open>
      <summary>
        Terminals <span class="soft">{running} running</span>
      </summary>
      {agentTerminals.length === 0 && <p class="hint">No agent has a terminal right now.</p>}
      <ul class="agent-terminals">
        {agentTerminals.map((known) => (
          <Row key={known.terminal.id} known={known} />
        ))}
      </ul>
    </details>
  );
}

/** Whether an agent started it, even if it was handed over since. */
function isAgentTerminal({ terminal }: TerminalEntry): boolean {
  return terminal.owner === "agent" || terminal.startedBy !== undefined;
}

function Row({ known }: { known: TerminalEntry }) {
  const { terminal, ended } = known;
  const { id, isolation = "none", startedBy, createdAt, command } = terminal;
  const now = useNow(!ended);
  const { store } = useSession();
  const conversation = store.conversations.find(terminal.conversation ?? "");
  const agent = conversation ? formatAgentName(conversation) : (startedBy ?? "an agent");
  const line = command?.join(" ") ?? "shell";
  const name = formatName(store.names.value.get(id)) || line;
  return (
    <li>
      <div class="agent-facts">
        <strong title={showInvisible(terminal.cwd)}>{showInvisible(name)}</strong>
        {line !== name && <code>{showInvisible(line)}</code>}
        <p class="soft">
          {[
            showInvisible(agent),
            formatState(known),
            ended ? undefined : formatDuration(now - createdAt),
            terminal.feed === true ? undefined : `isolation ${isolation}`,
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
      {ended && <span class={`chip ${getEndTone(ended)}`}>{formatTerminalEnd(ended)}</span>}
      <TerminalActions known={known} name={name} />
    </li>
  );
}

function formatState({ terminal, ended }: TerminalEntry): string | undefined {
  if (ended) return undefined;
  if (terminal.steppedIn) return `${showInvisible(terminal.steppedIn.label)} has stepped in`;
  if (terminal.feed === true) return "output of its commands";
  if (terminal.owner === "user") return "handed over";
  return terminal.conversation === undefined ? "running" : "in a conversation";
}

function TerminalActions({ known, name }: { known: TerminalEntry; name: string }) {
  const session = useSession();
  const { store } = session;
  const { terminal, ended } = known;
  const view = toTerminalView(terminal.id);
  const show = (): void => {
    if (hasTab(known, store.tabs.peek())) return store.views.enter(view);
    return store.setTab(terminal.id, true);
  };
  const isOwn = terminal.owner === "agent" && terminal.feed !== true;
  const mayChange = store.mayEdit.value && !ended;
  const steps = hasSteppedIn(known, store.you.value) ? "Hand back" : "Step in";
  return (
    <div class="agent-deeds">
      <button type="button" class="quiet" aria-label={`Show ${name}`} onClick={show}>
        Show
      </button>
      {mayChange && isOwn && (
        <CommandButton command={STEP_IN} view={view} class="quiet" label={`${steps}: ${name}`}>
          {steps}
        </CommandButton>
      )}
      {mayChange && isOwn && terminal.conversation === undefined && (
        <CommandButton command={KEEP_TERMINAL} view={view} class="quiet" label={`Keep ${name}`}>
          Keep
        </CommandButton>
      )}
      {mayChange && terminal.owner === "user" && (
        <CommandButton
          command={AGENTS_TYPE}
          view={view}
          class="quiet"
          label={`${terminal.agentsType ? "Stop agents typing into" : "Let agents type into"} ${name}`}
        >
          {terminal.agentsType ? "Stop typing" : "Let agents type"}
        </CommandButton>
      )}
      {mayChange && (
        <button
          type="button"
          class="quiet bad"
          aria-label={`Kill ${name}`}
          onClick={() => requestClose(session, terminal.id)}
        >
          Kill
        </button>
      )}
    </div>
  );
}

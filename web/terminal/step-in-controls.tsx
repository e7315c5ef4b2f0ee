// Owns the part of the driver strip for an agent's terminal: who has stepped in, which program reads the
// input, and the buttons to step in and hand back.

import { formatReader, formatUnlocked } from "../../protocol/names.ts";
import { createContext, getHints, runCommand } from "../commands/command.ts";
import type { Command } from "../commands/command.ts";
import { useSession } from "../context.ts";
import { showInvisible } from "../session/visible-text.ts";
import type { TerminalEntry } from "../session/terminal-list.ts";
import { hasSteppedIn, toTerminalView } from "../session/terminal-list.ts";
import { HAND_BACK_HIDDEN, STEP_IN } from "./terminal-commands.ts";

export function AgentStatus({ known }: { known: TerminalEntry }) {
  const { store } = useSession();
  const { id, steppedIn, startedBy } = known.terminal;
  const agent = startedBy === undefined ? undefined : showInvisible(startedBy);
  if (known.terminal.feed) return <span>Output of {agent ?? "an agent"}’s commands</span>;
  if (!steppedIn) return <span>{agent ?? "An agent"} is working here</span>;
  if (!hasSteppedIn(known, store.you.value)) {
    return <span>{showInvisible(steppedIn.label)} has stepped in</span>;
  }
  const reader = store.foregrounds.value.get(id);
  const commandLine = reader?.command.join(" ") ?? "";
  return (
    <>
      <span>You have stepped in</span>
      {reader && (
        <span class="others reads" title={commandLine}>
          your keys go to{" "}
          <strong>
            <bdi>{formatReader(reader)}</bdi>
          </strong>
          {startedBy !== undefined && `, started by ${startedBy}`}
        </span>
      )}
      <span
        class="others stays-open"
        title="The agent reads nothing until you hand back. Anything you unlock meanwhile, such as sudo or ssh, stays unlocked for the agent afterwards."
      >
        {formatUnlocked(reader ?? { program: null })} afterwards
      </span>
    </>
  );
}

export function StepButtons({ known }: { known: TerminalEntry }) {
  const { store } = useSession();
  // A command mirror has no program that reads input.
  if (!store.mayEdit.value || !store.reachable.value || known.terminal.feed) return null;
  if (!hasSteppedIn(known, store.you.value)) {
    return <StepButton known={known} command={STEP_IN} label="Step in" hint="Type here yourself" />;
  }
  return (
    <>
      <StepButton
        known={known}
        command={STEP_IN}
        label="Hand back"
        hint="The agent can read everything"
      />
      <StepButton
        known={known}
        command={HAND_BACK_HIDDEN}
        label="Hand back, hide"
        suffix=" what was typed"
        hint=""
      />
    </>
  );
}

interface StepButtonProps {
  known: TerminalEntry;
  command: Command;
  label: string;
  /** Appended on wide screens. */
  suffix?: string;
  hint: string;
}

function StepButton({ known, command, label, suffix, hint }: StepButtonProps) {
  const session = useSession();
  return (
    <button
      type="button"
      class="quiet"
      {...getHints(command, hint || command.title)}
      onClick={() => {
        runCommand(command, createContext(session, toTerminalView(known.terminal.id)));
        session.store.views.enter(toTerminalView(known.terminal.id));
      }}
    >
      {label}
      {suffix !== undefined && <span class="if-wide">{suffix}</span>}
    </button>
  );
}

// Owns the part of the driver strip for an agent's terminal: who has stepped in, which program reads the
// input, and the buttons to step in and hand back.

import { formatReader, formatStaysOpen } from "../../protocol/foreground.ts";
import { aimOf, hintsOf, perform } from "../commands/command.ts";
import type { Command } from "../commands/command.ts";
import { useSession } from "../context.ts";
import { seen } from "../session/lines.ts";
import type { Known } from "../session/terminals.ts";
import { hasSteppedIn, viewOf } from "../session/terminals.ts";
import { HIDE, STEP_IN } from "./commands.ts";

export function AgentWords({ known }: { known: Known }) {
  const { store } = useSession();
  const { id, steppedIn, startedBy } = known.terminal;
  const agent = startedBy === undefined ? undefined : seen(startedBy);
  if (known.terminal.feed) return <span>Output of {agent ?? "an agent"}’s commands</span>;
  if (!steppedIn) return <span>{agent ?? "An agent"} is working here</span>;
  if (!hasSteppedIn(known, store.you.value)) {
    return <span>{seen(steppedIn.label)} has stepped in</span>;
  }
  const reader = store.foregrounds.value.get(id);
  const called = reader?.command.join(" ") ?? "";
  return (
    <>
      <span>You have stepped in</span>
      {reader && (
        <span class="others reads" title={called}>
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
        {formatStaysOpen(reader ?? { program: null })} afterwards
      </span>
    </>
  );
}

export function StepButtons({ known }: { known: Known }) {
  const { store } = useSession();
  // A command mirror has no program that reads input.
  if (!store.mayEdit.value || !store.reachable.value || known.terminal.feed) return null;
  if (!hasSteppedIn(known, store.you.value)) {
    return <StepButton known={known} command={STEP_IN} says="Step in" hint="Type here yourself" />;
  }
  return (
    <>
      <StepButton
        known={known}
        command={STEP_IN}
        says="Hand back"
        hint="The agent can read everything"
      />
      <StepButton
        known={known}
        command={HIDE}
        says="Hand back, hide"
        more=" what was typed"
        hint=""
      />
    </>
  );
}

interface StepButtonProps {
  known: Known;
  command: Command;
  says: string;
  /** Appended on wide screens. */
  more?: string;
  hint: string;
}

function StepButton({ known, command, says, more, hint }: StepButtonProps) {
  const session = useSession();
  return (
    <button
      type="button"
      class="quiet"
      {...hintsOf(command, hint || command.title)}
      onClick={() => {
        perform(command, aimOf(session, viewOf(known.terminal.id)));
        session.store.views.enter(viewOf(known.terminal.id));
      }}
    >
      {says}
      {more !== undefined && <span class="if-wide">{more}</span>}
    </button>
  );
}

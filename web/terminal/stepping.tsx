// Owns what the line below an agent's terminal says and offers about stepping in: who has, which
// program reads what is typed, and the ways in and back.

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
  if (known.terminal.feed) return <span>What {agent ?? "an agent"}’s commands print</span>;
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
        title="The agent reads nothing more until you hand back. What you unlock meanwhile, as with sudo or ssh, stays unlocked for the agent afterwards."
      >
        {formatStaysOpen(reader ?? { program: null })} afterwards
      </span>
    </>
  );
}

export function StepButtons({ known }: { known: Known }) {
  const { store } = useSession();
  // In what an agent's commands print, no program reads.
  if (!store.mayEdit.value || !store.reachable.value || known.terminal.feed) return null;
  if (!hasSteppedIn(known, store.you.value)) {
    return <StepButton known={known} command={STEP_IN} says="Step in" hint="Type here yourself" />;
  }
  return (
    <>
      <StepButton known={known} command={STEP_IN} says="Hand back" hint="The agent reads it all" />
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
  /** Where there is room. */
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

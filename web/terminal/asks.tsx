// Owns the questions of others who want to type where we do.

import type { PtyAsked } from "../../protocol/pty.ts";
import { hintsOf } from "../commands/command.ts";
import { useSession } from "../context.ts";
import { whoAsks } from "../session/driving.ts";
import { toText } from "../session/names.ts";
import { takesInput, viewOf } from "../session/terminals.ts";
import { handOver } from "./actions.ts";
import { TYPE } from "./commands.ts";

export function Asks() {
  const { store } = useSession();
  // What ended meanwhile is no longer ours to give, and an answer to a host that is offline is lost.
  const open = store.asks.value.filter(
    ({ id }) => store.reachable.value && takesInput(store.terminal(id)),
  );
  return (
    <div class="toasts" role="log" aria-live="assertive" aria-label="Questions">
      {open.map((ask) => (
        <Ask key={`${ask.id} ${ask.peer}`} ask={ask} />
      ))}
    </div>
  );
}

function Ask({ ask }: { ask: PtyAsked }) {
  const session = useSession();
  const { store } = session;
  const name = toText(store.names.value.get(ask.id));
  const isElsewhere = name !== "" && !store.views.isActive(viewOf(ask.id));
  return (
    <div class="toast ask">
      <p>
        {whoAsks(ask)} asks to type
        {isElsewhere && ` in ${name}`}
      </p>
      <div class="actions">
        <button type="button" class="quiet" onClick={() => store.onAnswered(ask)}>
          Not now
        </button>
        <button
          type="button"
          class="primary"
          {...hintsOf(TYPE, "Hand over")}
          onClick={() => handOver(session, ask)}
        >
          Hand over
        </button>
      </div>
    </div>
  );
}

// Owns the card for one person's request to type in a terminal that we drive.

import type { PtyAsked } from "../../protocol/pty.ts";
import { hintsOf } from "../commands/command.ts";
import { useSession } from "../context.ts";
import { whoAsks } from "../session/driving.ts";
import { toText } from "../session/names.ts";
import { viewOf } from "../session/terminals.ts";
import { handOver } from "./actions.ts";
import { TYPE } from "./commands.ts";

export function Ask({ ask }: { ask: PtyAsked }) {
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

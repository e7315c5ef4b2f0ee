// Owns the card for one person's request to type in a terminal that we drive.

import type { PtyAsked } from "../../protocol/pty.ts";
import { getHints } from "../commands/command.ts";
import { useSession } from "../context.ts";
import { formatAsker } from "../session/driver-state.ts";
import { formatName } from "../session/terminal-names.ts";
import { toTerminalView } from "../session/terminal-list.ts";
import { handOver } from "./terminal-actions.ts";
import { TAKE_OR_HAND_OVER } from "./terminal-commands.ts";

export function TypingRequest({ ask }: { ask: PtyAsked }) {
  const session = useSession();
  const { store } = session;
  const name = formatName(store.names.value.get(ask.id));
  const isElsewhere = name !== "" && !store.views.isActive(toTerminalView(ask.id));
  return (
    <div class="toast ask">
      <p>
        {formatAsker(ask)} asks to type
        {isElsewhere && ` in ${name}`}
      </p>
      <div class="actions">
        <button type="button" class="quiet" onClick={() => store.onAnswered(ask)}>
          Not now
        </button>
        <button
          type="button"
          class="primary"
          {...getHints(TAKE_OR_HAND_OVER, "Hand over")}
          onClick={() => handOver(session, ask)}
        >
          Hand over
        </button>
      </div>
    </div>
  );
}

// Owns the questions of others for what we drive.

import type { PtyAsked } from "../../protocol/pty.ts";
import { whoAsks } from "../session/driving.ts";
import { find } from "../session/tabs.ts";
import { toText } from "../terminal/title.ts";
import { handOver } from "./actions.ts";
import { useSession } from "./context.ts";

export function Asks() {
  const { store } = useSession();
  return (
    <div class="toasts" role="log" aria-live="assertive" aria-label="Questions">
      {store.asks.value.map((ask) => (
        <Ask key={`${ask.id} ${ask.peer}`} ask={ask} />
      ))}
    </div>
  );
}

function Ask({ ask }: { ask: PtyAsked }) {
  const session = useSession();
  const { store } = session;
  const tab = find(store.tabs.value ?? [], ask.id);
  const elsewhere = tab && store.active.value !== ask.id;
  return (
    <div class="toast ask">
      <p>
        {whoAsks(ask)} asks for control
        {elsewhere && ` of ${toText(store.names.value.get(tab.terminal.id))}`}
      </p>
      <div class="actions">
        <button type="button" class="quiet" onClick={() => store.onAnswered(ask)}>
          Not now
        </button>
        <button
          type="button"
          class="primary"
          title="Hand over (Alt+O)"
          onClick={() => handOver(session, ask)}
        >
          Hand over
        </button>
      </div>
    </div>
  );
}

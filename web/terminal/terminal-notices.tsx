// Owns the notices of terminals: requests of others to type where we do, in a live region that is always
// mounted so that screen readers announce them; and the held input for a terminal that is being opened.

import { useSession } from "../context.ts";
import { lazyComponent } from "../lazy.tsx";
import { InputCatcher } from "./input-catcher.tsx";
import { takesInput } from "../session/terminal-list.ts";

const Ask = lazyComponent(async () => (await import("./ask.tsx")).TypingRequest);

export function TerminalNotices() {
  return (
    <>
      <InputCatcher />
      <TypingRequests />
    </>
  );
}

function TypingRequests() {
  const { store } = useSession();
  // Hides requests for an ended terminal, and all of them while the host is offline: an answer would be lost.
  const open = store.controlRequests.value.filter(
    ({ id }) => store.reachable.value && takesInput(store.findTerminal(id)),
  );
  return (
    <div class="toasts" role="log" aria-live="assertive" aria-label="Questions">
      {open.map((ask) => (
        <Ask key={`${ask.id} ${ask.peer}`} ask={ask} />
      ))}
    </div>
  );
}

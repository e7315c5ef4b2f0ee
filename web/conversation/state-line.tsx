// Owns the line with a conversation's state and the possible actions.

import { formatDuration } from "../../protocol/formats.ts";
import type { Conversation } from "../../protocol/conversation.ts";
import { useNow } from "../clock.ts";
import { CommandButton } from "../commands/command-button.tsx";
import { CLOSE_VIEW } from "../commands/frame-commands.ts";
import { useSession } from "../context.ts";
import { toConversationView } from "../session/conversations.ts";
import { CANCEL_TURN } from "./commands.ts";
import { formatState } from "./conversation-texts.ts";

export function StateLine({ conversation }: { conversation: Conversation }) {
  const { store } = useSession();
  const { id, state } = conversation;
  const isCancelling = store.conversations.cancelling.value.has(id);
  const message = isCancelling ? "Cancelling…" : formatState(conversation);
  const view = toConversationView(id);
  return (
    <div class="talk-state" data-state={state}>
      <p role="status">
        {message !== undefined && (
          <>
            {state !== "ended" && <span class="dot" aria-hidden="true" />}
            <span>{message}</span>
          </>
        )}
      </p>
      {state === "working" && <Elapsed id={id} />}
      {state === "working" && store.mayEdit.value && (
        <CommandButton command={CANCEL_TURN} view={view} class="quiet">
          Cancel
        </CommandButton>
      )}
      {state === "ended" && (
        <CommandButton command={CLOSE_VIEW} view={view} class="quiet" title="Dismiss this tab">
          Dismiss
        </CommandButton>
      )}
    </div>
  );
}

/** Shows the time since the last prompt, outside the status that screen readers announce. */
function Elapsed({ id }: { id: string }) {
  const { conversations } = useSession().store;
  const transcript = conversations.getTranscript(id);
  const now = useNow(true);
  const last = transcript.ids.value.findLast(
    (one) => transcript.entry(one)?.peek().kind === "prompt",
  );
  const since = last === undefined ? undefined : transcript.entry(last)?.peek().at;
  if (since === undefined) return null;
  return (
    <span class="talk-time" aria-hidden="true">
      {formatDuration(now - since)}
    </span>
  );
}

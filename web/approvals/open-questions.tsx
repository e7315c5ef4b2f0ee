// Owns agents' open questions: one card at a time or the folded button, the announcement for screen
// readers, and notifications for a hidden page.

import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import { getHints, formatKeys } from "../commands/command.ts";
import { useSession } from "../context.ts";
import { focusCard, listOpenQuestions, ENTER_QUESTION } from "./approval-commands.ts";
import { ApprovalCard } from "./approval-card.tsx";
import { browserPort, Notifier } from "./notify-me.tsx";
import { formatQuestion } from "./approval-texts.ts";

export function OpenQuestions({ onSay }: { onSay: (text: string) => void }) {
  const { store } = useSession();
  const { approvals } = store;
  const open = listOpenQuestions(store);
  const front = approvals.front.value;
  useNotifications();
  // Announces only the newest: repeating the whole list at every change would not help.
  const newest = open.at(-1);
  useLayoutEffect(
    () =>
      onSay(
        newest
          ? `${formatQuestion(newest)}. ${formatKeys(ENTER_QUESTION.keys)} goes to the question.`
          : "",
      ),
    [newest],
  );
  // A card inside a conversation is not shown here as well, unless it is out of sight.
  const placed = approvals.inlineCard.value;
  const isElsewhere = front !== undefined && placed?.id === front.id;
  const isFolded = approvals.folded.value || (isElsewhere && !placed.isSeen);
  const isCard = open.length > 0 && front !== undefined && !isFolded && !isElsewhere;
  return (
    <>
      {isCard && <ApprovalCard approval={front} />}
      {open.length > 0 && isFolded && <Pill count={open.length} />}
    </>
  );
}

function Pill({ count }: { count: number }) {
  const { store } = useSession();
  return (
    <button
      type="button"
      class="question-pill"
      {...getHints(ENTER_QUESTION)}
      // Keeps the focus, usually in a terminal.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => {
        if (store.approvals.inlineCard.peek()) focusCard(store);
        else store.approvals.folded.value = false;
      }}
    >
      <span class="dot" aria-hidden="true" />
      {count === 1 ? "1 question" : `${count} questions`}
    </button>
  );
}

function useNotifications(): void {
  const { store } = useSession();
  const open = listOpenQuestions(store);
  const notifier = useMemo(() => {
    const port = browserPort(({ id }) => {
      store.approvals.show(id);
      focusCard(store);
    });
    return new Notifier(port);
  }, [store]);
  // Not in an animation frame: a hidden page has none.
  useLayoutEffect(() => notifier.update(open), [notifier, open]);
  useEffect(() => () => notifier.dispose(), [notifier]);
}

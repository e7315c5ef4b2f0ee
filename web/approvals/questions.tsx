// Owns agents' questions on the page: the announcement of a new one, and the rest, which is loaded with
// the first question. Takes no focus by itself.

import { useEffect, useState } from "preact/hooks";
import { useSession } from "../context.ts";
import { lazyComponent } from "../lazy.tsx";
import { parseQuestionId } from "../session/token.ts";
import { workspacePath } from "../../protocol/workspace.ts";
import { listOpenQuestions } from "./approval-commands.ts";

const OpenQuestions = lazyComponent(
  async () => (await import("./open-questions.tsx")).OpenQuestions,
);

export function Questions() {
  const { store } = useSession();
  const [aloud, setAloud] = useState("");
  const [isNeeded, setNeeded] = useState(false);
  useAddress();
  // Stays loaded, since it also withdraws its notifications.
  if (!isNeeded && listOpenQuestions(store).length > 0) setNeeded(true);
  return (
    <>
      <p class="visually-hidden" role="status" aria-live="assertive">
        {aloud}
      </p>
      {isNeeded && <OpenQuestions onSay={setAloud} />}
    </>
  );
}

/** Replaces a question's own address by the workspace's once the question is here, or cannot come. */
function useAddress(): void {
  const { store } = useSession();
  const role = store.role.value;
  const wanted = store.approvals.linkedId.value;
  useEffect(() => {
    if (role === undefined || parseQuestionId(location.pathname) === undefined) return;
    const why = store.readOnlyReason("answer agents’ questions");
    if (why !== undefined) store.toast(why);
    else if (wanted !== undefined) return;
    history.replaceState(null, "", workspacePath(store.workspace));
  }, [role, wanted]);
}

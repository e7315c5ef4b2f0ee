// Owns which page is shown: the workspace, the gate for visitors without access, or the waiting page.

import type { Signal } from "@preact/signals";
import { CloseCode } from "../../protocol/codes.ts";
import type { Visit } from "../context.ts";
import { VisitContext } from "../context.ts";
import { lazily } from "../lazy.tsx";
import { Workspace } from "./workspace.tsx";

const Gate = lazily(async () => (await import("./gate.tsx")).Gate);
const Waiting = lazily(async () => (await import("./waiting.tsx")).Waiting);

export interface AppProps {
  workspace: string | undefined;
  visit: Signal<Visit | undefined>;
  onToken: (token: string) => void;
}

export function App({ workspace, visit, onToken }: AppProps) {
  const here = visit.value;
  if (!here) {
    return <Gate workspace={workspace} onToken={onToken} />;
  }
  const { connection, terminals, isAsking, people } = here.session.store;
  const now = connection.value;
  // A visitor who has seen the workspace can read on when the link ends; others have to enter a new link.
  const isRead =
    now.state === "refused" &&
    now.code === CloseCode.unauthorized &&
    terminals.value !== undefined &&
    !isAsking.value;
  if (now.state === "refused" && !isRead) {
    const { code, reason } = now;
    const refused = { code, reason, away: people.away.value };
    return <Gate workspace={workspace} refused={refused} onToken={onToken} />;
  }
  const isWaiting = people.isWaiting.value;
  // After a restart of the host the visitor waits again, but keeps the output already on the page.
  const isKept = terminals.value !== undefined;
  return (
    <VisitContext.Provider value={here}>
      {(!isWaiting || isKept) && <Workspace isBehind={isWaiting} />}
      {isWaiting && <Waiting />}
    </VisitContext.Provider>
  );
}

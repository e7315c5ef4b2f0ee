// Owns which page is shown: the workspace, or the gate before it.

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
  // What somebody has seen stays readable when a link ends; others are asked for another one.
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
  // What they have seen is theirs: a host who starts again asks them to wait, and has none of it.
  const isKept = terminals.value !== undefined;
  return (
    <VisitContext.Provider value={here}>
      {(!isWaiting || isKept) && <Workspace isBehind={isWaiting} />}
      {isWaiting && <Waiting />}
    </VisitContext.Provider>
  );
}

// Owns which page is shown: the workspace, or the gate before it.

import type { Signal } from "@preact/signals";
import { CloseCode } from "../../protocol/codes.ts";
import type { Visit } from "../context.ts";
import { explainRefusal } from "../session/connection.ts";
import { VisitContext } from "../context.ts";
import { Waiting } from "./waiting.tsx";
import { BAD_ADDRESS, Gate, NO_TOKEN } from "./gate.tsx";
import { Workspace } from "./workspace.tsx";

export interface AppProps {
  workspace: string | undefined;
  visit: Signal<Visit | undefined>;
  onToken: (token: string) => void;
}

export function App({ workspace, visit, onToken }: AppProps) {
  const here = visit.value;
  if (!here) {
    const why = workspace === undefined ? BAD_ADDRESS : NO_TOKEN;
    return <Gate workspace={workspace} why={why} onToken={onToken} />;
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
    const why = explainRefusal(now.code, { away: people.away.value, reason: now.reason });
    return <Gate workspace={workspace} why={why} onToken={onToken} />;
  }
  return (
    <VisitContext.Provider value={here}>
      {people.isWaiting.value ? <Waiting /> : <Workspace />}
    </VisitContext.Provider>
  );
}

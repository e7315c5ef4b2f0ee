// Owns which page is shown: the workspace, or the gate before it.

import type { Signal } from "@preact/signals";
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
  const connection = here.session.store.connection.value;
  const { people } = here.session.store;
  if (connection.state === "refused") {
    const why = explainRefusal(connection.code, people.away.value);
    return <Gate workspace={workspace} why={why} onToken={onToken} />;
  }
  return (
    <VisitContext.Provider value={here}>
      {people.isWaiting.value ? <Waiting /> : <Workspace />}
    </VisitContext.Provider>
  );
}

// Owns which page is shown: the workspace, or the gate before it.

import type { Signal } from "@preact/signals";
import { explainRefusal } from "../session/connection.ts";
import type { Session } from "../session/session.ts";
import { SessionContext } from "./context.ts";
import { BAD_ADDRESS, Gate, NO_TOKEN } from "./gate.tsx";
import { Workspace } from "./workspace.tsx";

export interface AppProps {
  workspace: string | undefined;
  session: Signal<Session | undefined>;
  onToken: (token: string) => void;
}

export function App({ workspace, session, onToken }: AppProps) {
  const visit = session.value;
  if (!visit) {
    const why = workspace === undefined ? BAD_ADDRESS : NO_TOKEN;
    return <Gate workspace={workspace} why={why} onToken={onToken} />;
  }
  const connection = visit.store.connection.value;
  if (connection.state === "refused")
    return <Gate workspace={workspace} why={explainRefusal(connection.code)} onToken={onToken} />;
  return (
    <SessionContext.Provider value={visit}>
      <Workspace />
    </SessionContext.Provider>
  );
}

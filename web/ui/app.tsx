// Owns which page is shown: the workspace, the gate for visitors without access, or the waiting page.

import type { Signal } from "@preact/signals";
import { CloseCode } from "../../protocol/codes.ts";
import type { Visit } from "../context.ts";
import { VisitContext } from "../context.ts";
import { lazyComponent } from "../lazy.tsx";
import { Workspace } from "./workspace.tsx";

const Gate = lazyComponent(async () => (await import("./gate.tsx")).Gate);
const Waiting = lazyComponent(async () => (await import("./waiting.tsx")).WaitingPage);

export interface AppProps {
  workspace: string | undefined;
  visit: Signal<Visit | undefined>;
  /** A link that cannot be used. */
  broken: Signal<string | undefined>;
  onToken: (token: string) => void;
}

export function App({ workspace, visit, broken, onToken }: AppProps) {
  const current = visit.value;
  if (!current) {
    return <Gate workspace={workspace} broken={broken.value} onToken={onToken} />;
  }
  const { connection, terminals, isEnteringLink, people } = current.session.store;
  const now = connection.value;
  // A visitor who has seen the workspace can read on when the link ends; others have to enter a new link.
  const staysReadable =
    now.state === "refused" &&
    now.code === CloseCode.unauthorized &&
    terminals.value !== undefined &&
    !isEnteringLink.value;
  if (now.state === "refused" && !staysReadable) {
    const { code, reason } = now;
    const refused = { code, reason, away: people.away.value };
    return <Gate workspace={workspace} refused={refused} onToken={onToken} />;
  }
  const isWaiting = people.isWaiting.value;
  // After a restart of the host the visitor waits again, but keeps the output already on the page.
  const hasContent = terminals.value !== undefined;
  return (
    <VisitContext.Provider value={current}>
      {(!isWaiting || hasContent) && <Workspace isBehind={isWaiting} />}
      {isWaiting && <Waiting />}
    </VisitContext.Provider>
  );
}

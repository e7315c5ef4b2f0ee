// Owns the context by which components reach the current visit: its session and commands.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Commands } from "./commands/commands.ts";
import type { Session } from "./session/session.ts";

export interface Visit {
  readonly session: Session;
  readonly commands: Commands;
}

export const VisitContext = createContext<Visit | undefined>(undefined);

export function useVisit(): Visit {
  const visit = useContext(VisitContext);
  if (!visit) throw new Error("useVisit was called outside of VisitContext");
  return visit;
}

export function useSession(): Session {
  return useVisit().session;
}

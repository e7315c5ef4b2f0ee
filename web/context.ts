// Owns how components reach the visit that they are part of: its session and its commands.

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
  if (!visit) throw new Error("a component of the workspace outside of it");
  return visit;
}

export function useSession(): Session {
  return useVisit().session;
}

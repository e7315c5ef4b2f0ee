// Owns the context by which components reach the current visit: its session and commands. Also owns
// the current time for components that show it.

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
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

/** Twice a second, so that a countdown skips no second. */
const TICK_MS = 500;

/** Returns the time in Unix ms; re-renders the component twice a second while `running`. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!running) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}

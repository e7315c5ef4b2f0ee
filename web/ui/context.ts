// Owns how components reach the session and its store.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "../session/session.ts";

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("a component of the workspace outside of it");
  return session;
}

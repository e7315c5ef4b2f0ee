// Owns the current time for components that show it.

import { useEffect, useState } from "preact/hooks";

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

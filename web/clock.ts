// Owns the time of day for what is drawn.

import { useEffect, useState } from "preact/hooks";

/** Twice a second while it runs: no second is skipped. */
const TICK_MS = 500;

/** Unix ms; draws again while `running`. */
export function useSeconds(running: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!running) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}

// Owns how often a text that grows is read again: at most so often that reading stays a small part of
// what the page does, however long the text is.

import { useEffect, useRef, useState } from "preact/hooks";

/** A picture of the screen; then as many times what reading took. */
const LEAST_MS = 16;
const SHARE = 8;

export function useSteady<T>(text: string, read: (text: string) => T): T {
  const latest = useRef(text);
  latest.current = text;
  const cost = useRef(LEAST_MS);
  const timed = (): { of: string; value: T } => {
    const began = performance.now();
    const value = read(latest.current);
    cost.current = Math.max(LEAST_MS, (performance.now() - began) * SHARE);
    return { of: latest.current, value };
  };
  const [shown, setShown] = useState(timed);
  const isBehind = shown.of !== text;
  useEffect(() => {
    if (!isBehind) return undefined;
    const timer = setTimeout(() => setShown(timed()), cost.current);
    return () => clearTimeout(timer);
    // Not with each piece of text: that would put it off for ever.
  }, [isBehind, shown]);
  return shown.value;
}

// Owns how often a growing text is parsed again: seldom enough to stay a small part of the page's
// work, however long the text is.

import { useEffect, useRef, useState } from "preact/hooks";

/** One frame; then `SHARE` times what the last parsing took. */
const MIN_MS = 16;
const SHARE = 8;

export function useThrottled<T>(text: string, read: (text: string) => T): T {
  const latest = useRef(text);
  latest.current = text;
  const cost = useRef(MIN_MS);
  const timed = (): { of: string; value: T } => {
    const began = performance.now();
    const value = read(latest.current);
    cost.current = Math.max(MIN_MS, (performance.now() - began) * SHARE);
    return { of: latest.current, value };
  };
  const [shown, setShown] = useState(timed);
  const isBehind = shown.of !== text;
  useEffect(() => {
    if (!isBehind) return undefined;
    const timer = setTimeout(() => setShown(timed()), cost.current);
    return () => clearTimeout(timer);
    // Not on each piece of text: that would postpone the update forever.
  }, [isBehind, shown]);
  return shown.value;
}

// Owns timers that do not keep the process alive, in a form that tests can replace.

/** Runs `action` later; returns the cancel function. */
export type Schedule = (action: () => void, milliseconds: number) => () => void;

export function scheduleUnref(action: () => void, milliseconds: number): () => void {
  const timer = setTimeout(action, milliseconds).unref();
  return () => clearTimeout(timer);
}

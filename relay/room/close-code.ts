// Owns which close codes may be sent. Pure.

/** Codes that the runtime makes up when no close frame came; none may be sent. */
const UNSENDABLE = new Set([1004, 1005, 1006, 1015]);

export function sendableCode(code: number): number {
  return code < 1000 || code > 4999 || UNSENDABLE.has(code) ? 1000 : code;
}

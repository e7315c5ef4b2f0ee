// Owns what the modelled program prints: any part of it can be told without having kept it.

/** A stream that nobody has to remember: it repeats, but at no length that anything here has. */
const PERIOD = 999_983;
const PATTERN = Uint8Array.from({ length: 2 * PERIOD }, (_, at) => ((at % PERIOD) * 31) & 0xff);
export const byteAt = (offset: number): number => PATTERN[offset % PERIOD] ?? 0;

export function slice(from: number, to: number): Uint8Array {
  const start = from % PERIOD;
  return PATTERN.subarray(start, start + Math.max(0, to - from));
}

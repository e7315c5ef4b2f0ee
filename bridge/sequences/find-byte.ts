// Owns skipping plain text: finds the next occurrence of a byte in a chunk.

/** Sequences are often close together, and a native call costs more than checking a few bytes. */
const INLINE_BYTES = 24;

/** Returns the index of the byte, or the chunk's length. */
export function findByte(chunk: Buffer, byte: number, from: number): number {
  const near = Math.min(chunk.length, from + INLINE_BYTES);
  for (let at = from; at < near; at++) if (chunk[at] === byte) return at;
  if (near === chunk.length) return near;
  const at = chunk.indexOf(byte, near);
  return at < 0 ? chunk.length : at;
}

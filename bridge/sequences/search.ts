// Owns passing over plain text: where a byte comes next in a chunk.

/** Sequences stand close together, and a call costs more than a look at a few bytes. */
const LOOK_BYTES = 24;

/** The chunk's length if it comes nowhere. */
export function next(chunk: Buffer, byte: number, from: number): number {
  const near = Math.min(chunk.length, from + LOOK_BYTES);
  for (let at = from; at < near; at++) if (chunk[at] === byte) return at;
  if (near === chunk.length) return near;
  const at = chunk.indexOf(byte, near);
  return at < 0 ? chunk.length : at;
}

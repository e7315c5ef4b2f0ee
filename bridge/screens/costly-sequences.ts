// Owns which sequences take long to draw: those whose cost grows with the whole screen or with a
// number in them. They are written one at a time, with a check of the clock in between. Pure.

/**
 * Scrolling, inserting and erasing lines, tabs and repetitions by number, columns, modes (some
 * change the whole screen), reset, test pattern, reverse index. C1's CSI comes as two bytes of
 * UTF-8.
 */
// oxlint-disable-next-line no-control-regex -- sequences are made of them
const COSTLY = /(?:\x1B\[|\xC2\x9B)[0-9:;<=>?]*(?:[ILMSTJZbhl^]|[ '][@A}~])|\x1B(?:c|M|#8)/g;

/** Yields where to check the clock: after each such sequence, and at the end. */
export function* listSteps(bytes: Uint8Array): Generator<number> {
  for (const { 0: sequence, index } of toLatin1(bytes).matchAll(COSTLY)) {
    const end = index + sequence.length;
    if (end < bytes.length) yield end;
  }
  yield bytes.length;
}

/** Returns the bytes without costly sequences, when there is no time for them. */
export function removeCostly(bytes: Uint8Array): Buffer {
  return Buffer.from(toLatin1(bytes).replaceAll(COSTLY, ""), "latin1");
}

function toLatin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

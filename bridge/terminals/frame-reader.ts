// Owns where the pty host's bytes are read to: long buffers, filled in turn and never written twice,
// so that a frame is a view of where the kernel put it. Frames that a read cuts are completed by the
// next one, in place. Why it matters: a buffer per read is memory that V8 counts but does not move,
// and at full speed the counting alone starts a full collection several times a second.

import type { Decoded, Frame, FrameFault } from "../../protocol/frame.ts";
import { takeFrames } from "../../protocol/frame.ts";
import { KiB } from "../../protocol/limits.ts";

/** Several times the longest frame, and short: a frame that somebody keeps keeps all of it. */
const BUFFER_BYTES = 1024 * KiB;
/** A read gets at least this much room. */
const ROOM_BYTES = 64 * KiB;

export class FrameReader {
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  /** Where the first frame begins that is not whole yet. */
  #from = 0;
  /** Where the next bytes go. */
  #to = 0;
  #fault: FrameFault | undefined;

  /** Where to read to. */
  room(): Uint8Array {
    if (BUFFER_BYTES - this.#to < ROOM_BYTES) this.#renew();
    return this.#buffer.subarray(this.#to);
  }

  /**
   * That many bytes were read into the room. After a fault it answers that fault for ever: a stream
   * that lost its place cannot be trusted again.
   */
  filled(length: number): Decoded {
    const frames: Frame[] = [];
    if (this.#fault !== undefined) return { ok: false, frames, error: this.#fault };
    this.#to += length;
    const taken = takeFrames(this.#buffer.subarray(this.#from, this.#to), frames);
    if (typeof taken !== "number") {
      this.#fault = taken;
      return { ok: false, frames, error: taken };
    }
    this.#from += taken;
    return { ok: true, frames };
  }

  /** Frames that were given away are views into the old buffer, so it is left to them. */
  #renew(): void {
    const fresh = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    this.#to = this.#buffer.copy(fresh, 0, this.#from, this.#to);
    this.#from = 0;
    this.#buffer = fresh;
  }
}

// Owns where the pty host's bytes are read to: a few blocks of memory, filled in turn. A frame is a
// view of where the kernel put it, and a frame that a read cuts is completed by the next one, in
// place. Why blocks are used again: memory of a Buffer's own is memory that V8 counts but does not
// move. At full speed the counting alone starts a full collection for every 20 MB.

import type { Decoded, Frame, FrameFault } from "../../protocol/frame.ts";
import { takeFrames } from "../../protocol/frame.ts";
import { KiB } from "../../protocol/limits.ts";
import type { Lease } from "../../protocol/output.ts";

/** Several times the longest frame, and more than a channel has under way: two are enough for one. */
const BLOCK_BYTES = 512 * KiB;
/** A read gets at least this much room. */
const ROOM_BYTES = 64 * KiB;
/** Many terminals at once have more under way. Beyond this, what they hold is left to the collector. */
const MOST_WAITING = 3;

class Block implements Lease {
  readonly bytes = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #kept = 0;

  get isFree(): boolean {
    return this.#kept === 0;
  }

  keep(): void {
    this.#kept++;
  }

  /** One function for the life of the block: it goes along with every frame. */
  readonly release = (): void => {
    this.#kept--;
  };
}

export class FrameReader {
  #block = new Block();
  /** Full, and some of them kept; the oldest first. */
  readonly #waiting: Block[] = [];
  /** Where the first frame begins that is not whole yet. */
  #from = 0;
  /** Where the next bytes go. */
  #to = 0;
  #fault: FrameFault | undefined;

  /** Where to read to. The frames of before may be overwritten, unless they were kept. */
  room(): Uint8Array {
    if (BLOCK_BYTES - this.#to < ROOM_BYTES) this.#renew();
    return this.#block.bytes.subarray(this.#to);
  }

  /**
   * That many bytes were read into the room. After a fault it answers that fault for ever: a stream
   * that lost its place cannot be trusted again.
   */
  filled(length: number): Decoded {
    const frames: Frame[] = [];
    if (this.#fault !== undefined) return { ok: false, frames, error: this.#fault };
    this.#to += length;
    const taken = takeFrames(this.#block.bytes.subarray(this.#from, this.#to), frames);
    if (typeof taken !== "number") {
      this.#fault = taken;
      return { ok: false, frames, error: taken };
    }
    this.#from += taken;
    return { ok: true, frames };
  }

  /** Of the frames that `filled` gave last. */
  get lease(): Lease {
    return this.#block;
  }

  #renew(): void {
    const full = this.#block;
    const next = this.#free() ?? new Block();
    this.#to = full.bytes.copy(next.bytes, 0, this.#from, this.#to);
    this.#from = 0;
    this.#block = next;
    if (next === full) return;
    this.#waiting.push(full);
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
  }

  #free(): Block | undefined {
    if (this.#block.isFree) return this.#block;
    const at = this.#waiting.findIndex(({ isFree }) => isFree);
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0];
  }
}

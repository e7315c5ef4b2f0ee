// Owns the memory for reads from the pty host: a few blocks, filled in turn. Frames are views into
// a block; a frame that a read cuts is completed in place by the next read. Blocks are reused
// because V8 counts Buffer memory it does not move: at full speed that alone would start a full
// collection every 20 MB.

import type { DecodeResult, Frame, FrameFault } from "../../protocol/frame.ts";
import { takeFrames } from "../../protocol/frame.ts";
import { KiB } from "../../protocol/limits.ts";
import type { Lease } from "../../protocol/output.ts";

/**
 * Several times the longest frame, and more than a channel has in flight: two blocks serve one
 * channel.
 */
const BLOCK_BYTES = 512 * KiB;
/** Minimum space for a read. */
const MIN_READ_BYTES = 64 * KiB;
/** Many terminals at once have more in flight. Further blocks are left to the garbage collector. */
const MAX_WAITING = 3;

class Block implements Lease {
  readonly bytes = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #kept = 0;

  get isFree(): boolean {
    return this.#kept === 0;
  }

  keep(): void {
    this.#kept++;
  }

  /** Releases the block; one function per block, as it is passed along with every frame. */
  readonly release = (): void => {
    this.#kept--;
  };
}

export class FrameReader {
  #block = new Block();
  /** Full blocks with frames that are still kept; oldest first. */
  readonly #waiting: Block[] = [];
  /** Start of the first incomplete frame. */
  #from = 0;
  /** Where the next bytes go. */
  #to = 0;
  #fault: FrameFault | undefined;

  /** Returns the buffer for the next read. Overwrites earlier frames unless they were kept. */
  getBuffer(): Uint8Array {
    if (BLOCK_BYTES - this.#to < MIN_READ_BYTES) this.#nextBlock();
    return this.#block.bytes.subarray(this.#to);
  }

  /** Decodes the bytes just read. Repeats a fault forever: the boundaries are lost. */
  onRead(length: number): DecodeResult {
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

  /** Returns the lease of the frames that were decoded last. */
  get lease(): Lease {
    return this.#block;
  }

  #nextBlock(): void {
    const full = this.#block;
    const next = this.#takeFreeBlock() ?? new Block();
    this.#to = full.bytes.copy(next.bytes, 0, this.#from, this.#to);
    this.#from = 0;
    this.#block = next;
    if (next === full) return;
    this.#waiting.push(full);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  #takeFreeBlock(): Block | undefined {
    if (this.#block.isFree) return this.#block;
    const at = this.#waiting.findIndex(({ isFree }) => isFree);
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0];
  }
}

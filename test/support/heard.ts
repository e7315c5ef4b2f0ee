// Owns what one terminal of the pty host has told a client, and that it came in order.

import type { Exited, Gap } from "../../protocol/host.ts";
import { decodeOutput } from "../../protocol/output.ts";

export class Received {
  readonly pieces: Uint8Array[] = [];
  /** Sizes and offsets of the output frames, as they came. */
  readonly outputs: { readonly offset: number; readonly length: number }[] = [];
  readonly gaps: Gap[] = [];
  /** Where the next byte is expected; undefined until the first. */
  next: number | undefined;
  exited: Exited | undefined;
  activity = 0;
  #window: { readonly size: number; granted: number } | undefined;

  get text(): string {
    return Buffer.concat(this.pieces).toString("latin1");
  }

  /** From here on, credit is due whenever half of the window is used. */
  openWindow(from: number, size: number): void {
    this.#window = { size, granted: from + size };
  }

  /** Returns the credit that is to be given now, if any. */
  takeOutput(payload: Uint8Array): number | undefined {
    const output = decodeOutput(payload);
    if (output === undefined || output.span !== output.body.length) throw new Error("bad output");
    if (this.next !== undefined && output.offset !== this.next) {
      throw new Error(`output at ${output.offset}, expected at ${this.next}`);
    }
    this.next = output.offset + output.span;
    this.pieces.push(output.body);
    this.outputs.push({ offset: output.offset, length: output.span });
    const window = this.#window;
    if (window === undefined || window.granted - this.next > window.size / 2) return undefined;
    window.granted = this.next + window.size;
    return window.granted;
  }

  takeGap(gap: Gap): void {
    if (this.next !== undefined && gap.from !== this.next) {
      throw new Error("a gap in the wrong place");
    }
    this.gaps.push(gap);
    this.next = gap.to;
  }
}

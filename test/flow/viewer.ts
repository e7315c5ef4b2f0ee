// Owns the model of a viewer: what it takes off its socket, renders and acks, by its habit, and
// whether what it got is what was printed.

import { decodeFrames } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { KiB } from "../../protocol/limits.ts";
import { decodeOffset, decodeOutput, encodeAcks, PROOF_CHANNEL } from "../../protocol/output.ts";
import { byteAt } from "./stream.ts";

/** What a viewer does with what it gets. */
export type Habit = "prompt" | "slow" | "late" | "twice" | "never";

export class Viewer {
  readonly number: number;
  readonly inbox: (string | Uint8Array)[] = [];
  channel = -1;
  next = -1;
  rendered = -1;
  acked = -1;
  starts = 0;
  wrong = 0;
  /** It takes nothing off its socket. */
  deaf = false;
  habit: Habit;
  readonly #id: string;
  readonly #say: (message: string | Uint8Array) => void;
  #epoch: number | undefined;

  constructor(
    number: number,
    id: string,
    habit: Habit,
    say: (message: string | Uint8Array) => void,
  ) {
    this.number = number;
    this.#id = id;
    this.habit = habit;
    this.#say = say;
  }

  say(message: object): void {
    this.#say(JSON.stringify(message));
  }

  /** Takes one message off its socket. */
  take(): boolean {
    const message = this.deaf ? undefined : this.inbox.shift();
    if (message === undefined) return false;
    if (typeof message === "string") this.#onText(message);
    else this.#onFrame(message);
    return true;
  }

  render(): void {
    if (this.habit === "never" || this.next < 0) return;
    const most = this.habit === "slow" ? 20 * KiB : Infinity;
    this.rendered = Math.min(this.next, this.rendered + most);
    if (this.rendered <= this.acked) return;
    const offset =
      this.habit === "late" ? Math.max(this.acked, this.rendered - 60 * KiB) : this.rendered;
    this.acked = offset;
    const acks = encodeAcks(0, [{ channel: this.channel, offset }]);
    this.#say(acks);
    if (this.habit === "twice") this.#say(acks);
  }

  #place(): object {
    if (this.#epoch === undefined) return { id: this.#id };
    return { id: this.#id, epoch: this.#epoch, offset: this.next };
  }

  #onText(text: string): void {
    const message: {
      type: string;
      channel?: number;
      epoch?: number;
      offset?: number;
      snapshot?: string;
    } = JSON.parse(text);
    // The bridge is here, or here again: as the documented clients do.
    if (message.type === "pty:terminals") this.say({ type: "pty:attach", ...this.#place() });
    if (message.type !== "pty:attached") return;
    this.#epoch = message.epoch;
    // Without a new screen, output starts where the last one ended.
    if (message.snapshot === undefined && message.offset !== this.next) this.wrong++;
    if (message.snapshot !== undefined) this.starts++;
    this.channel = message.channel ?? -1;
    this.next = message.offset ?? -1;
    this.rendered = this.next;
    this.acked = this.next;
    // The modelled snapshot is of the offset that it says.
    if (message.snapshot !== undefined && message.snapshot !== `screen at ${this.next}`)
      this.wrong++;
  }

  #onFrame(bytes: Uint8Array): void {
    const [frame] = decodeFrames(bytes).frames;
    if (frame?.type === FrameType.proof) {
      const offset = decodeOffset(frame.payload) ?? 0;
      this.#say(encodeAcks(0, [{ channel: PROOF_CHANNEL, offset }]));
      return;
    }
    const output = frame === undefined ? undefined : decodeOutput(frame.payload);
    if (output === undefined || output.span === 0 || frame?.stream !== this.channel) return;
    const end = output.offset + output.span;
    if (end <= this.next) return;
    // A hole, or a byte that was never printed there.
    if (output.offset > this.next) this.wrong++;
    const from = Math.max(0, this.next - output.offset);
    for (let at = from; at < output.body.length; at += 997) {
      if (output.body[at] !== byteAt(output.offset + at)) this.wrong++;
    }
    this.next = end;
  }
}

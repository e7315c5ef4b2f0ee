// Owns one of a crowd of viewers of one terminal: counts what comes and acks it, at next to no cost.

import { readU32 } from "../../protocol/frame.ts";
import { Acks } from "../../web/session/acks.ts";
import type { Dialect, Received } from "./dialect.ts";
import { DIALECTS } from "./dialects.ts";
import type { LightMessage } from "./light-socket.ts";
import { LightSocket } from "./light-socket.ts";
import type { DialectName, Viewed } from "./viewing.ts";

const OUTPUT_TEXT = Buffer.from('{"type":"pty:output"');
/** In a raw frame, behind its header: the offset, then the span. */
const RAW_OFFSET_AT = 12;
const RAW_SPAN_AT = 20;
const BARE_HEADER_BYTES = 12;
const BARE_OFFSET_AT = 4;

export class LightViewer {
  readonly #viewed: Viewed;
  readonly #dialect: Dialect;
  readonly #acks: Acks | undefined;
  #socket: LightSocket | undefined;
  #attached = false;
  /** Where its screen began; 0 where nobody says. */
  begin = 0;
  offset = 0;
  messages = 0;
  wireBytes = 0;
  skips = 0;
  ended: string | undefined;
  stalled = false;
  onChange: () => void = () => {};

  /** `drives`: it types. The others are told so, as pages are, and ack in larger steps. */
  constructor(viewed: Viewed, drives: boolean) {
    this.#viewed = viewed;
    this.#dialect = DIALECTS[viewed.dialect](viewed.id);
    if (viewed.acks === "never") return;
    const send = (rendered: ReadonlyMap<string, number>, proof: number | undefined) => {
      for (const message of this.#dialect.ack(rendered, proof)) this.#socket?.send(message);
    };
    this.#acks = new Acks({ send, eager: viewed.acks === "eager", isDrivenByOther: () => !drives });
  }

  async open(): Promise<void> {
    const { url, protocols } = this.#viewed;
    this.#socket = await LightSocket.open(url, protocols, {
      wants: (binary, head) => !isOutput(this.#viewed.dialect, binary, head),
      message: (message) => this.#take(message),
      ended: (why) => {
        this.ended ??= why;
        this.onChange();
      },
    });
  }

  attach(): void {
    for (const message of this.#dialect.attach(this.#viewed.id)) this.#socket?.send(message);
  }

  get attached(): boolean {
    return this.#attached;
  }

  type(data: string): void {
    this.#socket?.send(this.#dialect.input(this.#viewed.id, data));
  }

  stall(): void {
    this.stalled = true;
    this.#socket?.stall();
    this.#acks?.dispose();
  }

  close(): void {
    this.#acks?.dispose();
    this.ended = "closed by us";
    this.#socket?.close();
  }

  #take(message: LightMessage): void {
    if (message.whole !== undefined) {
      this.#onReceived(this.#dialect.hear(message.whole, message.binary));
    } else {
      this.offset = readNext(this.#viewed.dialect, message);
      this.messages++;
      this.wireBytes += message.length;
      this.#acks?.onRendered(this.#viewed.id, this.offset);
    }
    this.onChange();
  }

  #prove(n: number): void {
    if (this.#acks !== undefined) return this.#acks.answerProof(n);
    for (const message of this.#dialect.ack(new Map(), n)) this.#socket?.send(message);
    return undefined;
  }

  #onReceived(received: Received | undefined): void {
    if (received?.is === "failed") this.ended = received.error;
    if (received?.is === "asked") this.#prove(received.n);
    if (received?.is !== "attached" || received.id !== this.#viewed.id) return;
    if (this.#attached && this.#acks !== undefined) this.skips++;
    if (!this.#attached) this.begin = received.next;
    this.#attached = true;
    this.offset = Math.max(this.offset, received.next);
    this.#acks?.restart(this.#viewed.id, received.next);
    for (const message of this.#dialect.ack(new Map([[this.#viewed.id, received.next]]))) {
      if (this.#acks !== undefined) this.#socket?.send(message);
    }
  }
}

function isOutput(dialect: DialectName, binary: boolean, head: Buffer): boolean {
  if (dialect === "json") return head.subarray(0, OUTPUT_TEXT.length).equals(OUTPUT_TEXT);
  if (dialect === "raw")
    return binary && head.length > RAW_SPAN_AT && readU32(head, RAW_SPAN_AT) > 0;
  return binary;
}

function readNext(dialect: DialectName, { head, tail, length }: LightMessage): number {
  if (dialect === "json") return Number(/"next":(\d+)\}$/.exec(tail.toString("latin1"))?.[1]);
  if (dialect === "raw") {
    const offset = readU32(head, RAW_OFFSET_AT) * 0x1_0000_0000 + readU32(head, RAW_OFFSET_AT + 4);
    return offset + readU32(head, RAW_SPAN_AT);
  }
  return head.readDoubleBE(BARE_OFFSET_AT) + length - BARE_HEADER_BYTES;
}

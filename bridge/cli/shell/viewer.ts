// Views one terminal over the bridge's local socket, in the raw rendition. Delivers output in order,
// each byte once, and acks what is on the screen.

import type { Socket } from "node:net";
import * as z from "zod/mini";
import { encodeFrame, FrameDecoder } from "../../../protocol/frame.ts";
import type { Frame } from "../../../protocol/frame.ts";
import { BINARY, FrameType } from "../../../protocol/frame-types.ts";
import { parsePayload, parseText } from "../../../protocol/json.ts";
import { ACK_BYTES, ACK_MS } from "../../../protocol/limits.ts";
import { PeerClose } from "../../../protocol/link.ts";
import { decodeOutput } from "../../../protocol/output.ts";
import type { PtyRequest } from "../../../protocol/pty.ts";
import { encodeAcks } from "../../../protocol/raw.ts";
import { Exit } from "../../../protocol/terminal.ts";
import { toBytes, toText } from "../../../protocol/text.ts";
import type { Reading } from "./stepping.ts";

const Heard = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("pty:attached"),
    id: z.string(),
    channel: z.int(),
    offset: z.int(),
    cols: z.int(),
    rows: z.int(),
    snapshot: z.optional(z.string()),
  }),
  z.extend(Exit, { type: z.literal("pty:exit"), id: z.string() }),
  z.object({ type: z.literal("pty:error"), id: z.optional(z.string()), error: z.string() }),
  z.object({ type: z.literal("pty:resized"), id: z.string(), cols: z.int(), rows: z.int() }),
  z.object({
    type: z.literal("pty:foreground"),
    id: z.string(),
    program: z.nullable(z.string()),
    command: z._default(z.array(z.string()), []),
    startedBy: z.optional(z.string()),
  }),
  z.object({
    type: z.literal("pty:recording"),
    id: z.string(),
    on: z.boolean(),
    by: z.optional(z.string()),
  }),
  z.object({ type: z.literal("pairpty:ping"), n: z.int() }),
  z.object({
    type: z.literal("terminal"),
    event: z.string(),
    terminal: z.object({ id: z.string() }),
    exit: z.optional(Exit),
  }),
]);

type Heard = z.infer<typeof Heard>;

export interface ViewerEvents {
  /** Fires with a snapshot to draw on a clean screen. */
  fresh(snapshot: string, size: { cols: number; rows: number }): void;
  /** Fires with output; call `written` once the bytes are on the screen. */
  output(bytes: Uint8Array, written: () => void): void;
  resized(size: { cols: number; rows: number }): void;
  /** Fires when this window has stepped in; `reading` is the program that gets the input. */
  reads(reading: Reading): void;
  /** Fires when a recording starts or stops; `by` is the person who did it. */
  recording(on: boolean, by: string | undefined): void;
  exited(exit: Exit): void;
  failed(error: string): void;
  /** Fires when the connection closed; `why` is set if the bridge closed it with a reason. */
  closed(why: string | undefined): void;
}

export class Viewer {
  readonly #socket: Socket;
  readonly #id: string;
  readonly #events: ViewerEvents;
  readonly #decoder = new FrameDecoder();
  #channel: number | undefined;
  #next = 0;
  #written = 0;
  #acked = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #shownTheDoor: string | undefined;

  constructor(socket: Socket, id: string, events: ViewerEvents) {
    this.#socket = socket;
    this.#id = id;
    this.#events = events;
    socket.on("data", (chunk: Buffer) => this.#onData(chunk));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => events.closed(this.#shownTheDoor));
  }

  /** Attaches from a snapshot; also used to redraw everything. */
  attach(): void {
    this.say({ type: "pty:attach", id: this.#id });
  }

  say(request: PtyRequest | { type: "pairpty:pong"; n: number }): void {
    const text = toBytes(JSON.stringify(request));
    if (!this.#socket.destroyed) this.#socket.write(encodeFrame(FrameType.peerMessage, 0, text));
  }

  /** Stops all events: output in transit must not be drawn over what comes next. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#socket.removeAllListeners("close");
    this.#socket.end();
  }

  #onData(chunk: Buffer): void {
    const decoded = this.#decoder.push(chunk);
    for (const frame of decoded.frames) this.#onFrame(frame);
    if (!decoded.ok) this.#socket.destroy();
  }

  #onFrame({ type, flags, stream, payload }: Frame): void {
    if (this.#isClosed) return undefined;
    if (type === FrameType.output) return this.#onOutput(stream, payload);
    if (type === FrameType.peerClose) return this.#onDoor(payload);
    if (type !== FrameType.peerSend) return undefined;
    if ((flags & BINARY) === 0) return this.#onText(toText(payload));
    const inner = new FrameDecoder().push(Buffer.from(payload));
    for (const frame of inner.frames) this.#onFrame(frame);
    return undefined;
  }

  #onDoor(payload: Uint8Array): void {
    const close = parsePayload(PeerClose, payload);
    if (close.ok) this.#shownTheDoor = close.value.reason;
  }

  #onText(text: string): void {
    const parsed = parseText(Heard, text);
    if (!parsed.ok) return;
    const heard = parsed.value;
    if (heard.type === "pairpty:ping") return this.say({ type: "pairpty:pong", n: heard.n });
    if (heard.type === "terminal") return this.#onTerminal(heard);
    if (heard.id !== this.#id) return undefined;
    switch (heard.type) {
      case "pty:attached": {
        const { channel, offset, cols, rows, snapshot } = heard;
        this.#channel = channel;
        this.#next = offset;
        this.#written = offset;
        this.#acked = offset;
        return this.#events.fresh(snapshot ?? "", { cols, rows });
      }
      case "pty:resized":
        return this.#events.resized(heard);
      case "pty:exit":
        return this.#events.exited(heard);
      case "pty:foreground":
        return this.#events.reads(heard);
      case "pty:recording":
        return this.#events.recording(heard.on, heard.by);
      case "pty:error":
        return this.#events.failed(heard.error);
    }
  }

  /** Reports an exit where the pty host died: only then it does not follow the last output. */
  #onTerminal({ event, terminal, exit }: Extract<Heard, { type: "terminal" }>): void {
    if (event !== "closed" || terminal.id !== this.#id || exit === undefined) return;
    if (exit.exitCode === null && exit.signal === null) this.#events.exited(exit);
  }

  #onOutput(channel: number, payload: Uint8Array): void {
    const output = decodeOutput(payload);
    if (output === undefined || channel !== this.#channel) return;
    if (output.span === 0) return this.#onText(toText(output.body));
    const known = this.#next - output.offset;
    if (known >= output.span) return undefined;
    // Should not happen; a new snapshot repairs it.
    if (known < 0) return this.attach();
    const end = output.offset + output.span;
    this.#next = end;
    return this.#events.output(output.body.subarray(known), () => this.#onWritten(channel, end));
  }

  #onWritten(channel: number, offset: number): void {
    if (channel !== this.#channel || offset <= this.#written) return;
    this.#written = offset;
    if (offset - this.#acked >= ACK_BYTES) return this.#ack();
    this.#timer ??= setTimeout(() => this.#ack(), ACK_MS);
    return undefined;
  }

  #ack(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#channel === undefined || this.#socket.destroyed) return;
    this.#acked = this.#written;
    this.#socket.write(encodeAcks(0, [{ channel: this.#channel, offset: this.#written }]));
  }
}

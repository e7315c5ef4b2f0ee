// Views one terminal over the bridge's local socket, in the raw rendition. Delivers output in order,
// each byte once, and acks what is on the screen.

import type { Socket } from "node:net";
import * as z from "zod/mini";
import { encodeFrame, FrameDecoder } from "../../../protocol/frame.ts";
import type { Frame } from "../../../protocol/frame.ts";
import { FLAG_BINARY, FrameType } from "../../../protocol/frame-types.ts";
import { parsePayload, parseText } from "../../../protocol/json.ts";
import { ACK_BYTES, ACK_MS } from "../../../protocol/limits.ts";
import { PeerClose } from "../../../protocol/link.ts";
import { decodeOutput, encodeAcks } from "../../../protocol/output.ts";
import type { PtyEvent } from "../../../protocol/pty.ts";
import type { PtyRequest } from "../../../protocol/pty-requests.ts";
import { Exit } from "../../../protocol/terminal.ts";
import { toBytes, toText } from "../../../protocol/text.ts";
import type { ForegroundProgram } from "./window-text.ts";

const ReceivedMessage = z.discriminatedUnion("type", [
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

type ReceivedMessage = z.infer<typeof ReceivedMessage>;
type ReceivedMap = { readonly [One in ReceivedMessage as One["type"]]: One };

/**
 * One row per message of the bridge; the compiler names a new one. "ignored": a window of one
 * terminal shows nothing of it.
 */
type EventHandlers = {
  readonly [Type in PtyEvent["type"] | keyof ReceivedMap]: Type extends keyof ReceivedMap
    ? (message: ReceivedMap[Type]) => void
    : "ignored";
};

export interface ViewerEvents {
  /** Fires with a snapshot to draw on a clean screen. */
  onSnapshot(snapshot: string, size: { cols: number; rows: number }): void;
  /** Fires with output; call `written` once the bytes are on the screen. */
  onOutput(bytes: Uint8Array, written: () => void): void;
  onResized(size: { cols: number; rows: number }): void;
  /** Fires when this window has stepped in; `reading` is the program that gets the input. */
  steppedIn(reading: ForegroundProgram): void;
  /** Fires when a recording starts or stops; `by` is the person who did it. */
  onRecording(on: boolean, by: string | undefined): void;
  onExited(exit: Exit): void;
  onFailed(error: string): void;
  /** Fires when the connection closed; `why` is set if the bridge closed it with a reason. */
  onClosed(why: string | undefined): void;
}

export class LocalViewer {
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
  #closeReason: string | undefined;
  readonly #handlers: EventHandlers = {
    "pty:attached": (message) => this.#onAttached(message),
    "pty:resized": (message) => this.#events.onResized(message),
    "pty:exit": (message) => this.#events.onExited(message),
    "pty:foreground": (message) => this.#events.steppedIn(message),
    "pty:recording": ({ on, by }) => this.#events.onRecording(on, by),
    "pty:error": ({ error }) => this.#events.onFailed(error),
    terminal: (message) => this.#onTerminal(message),
    "pairpty:ping": ({ n }) => this.send({ type: "pairpty:pong", n }),
    // Output in the JSON rendition.
    "pty:output": "ignored",
    // Answers to requests that a window does not make.
    "pty:spawned": "ignored",
    "pty:closed": "ignored",
    // Shown beside terminals, in the page only.
    "pty:driver": "ignored",
    "pty:asked": "ignored",
    "pty:titled": "ignored",
    "pty:running": "ignored",
    "pty:terminals": "ignored",
  };

  constructor(socket: Socket, id: string, events: ViewerEvents) {
    this.#socket = socket;
    this.#id = id;
    this.#events = events;
    socket.on("data", (chunk: Buffer) => this.#onData(chunk));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => events.onClosed(this.#closeReason));
  }

  /** Attaches from a snapshot; also used to redraw everything. */
  attach(): void {
    this.send({ type: "pty:attach", id: this.#id });
  }

  send(request: PtyRequest | { type: "pairpty:pong"; n: number }): void {
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
    if (type === FrameType.peerClose) return this.#onClose(payload);
    if (type !== FrameType.peerSend) return undefined;
    if ((flags & FLAG_BINARY) === 0) return this.#onText(toText(payload));
    const inner = new FrameDecoder().push(Buffer.from(payload));
    for (const frame of inner.frames) this.#onFrame(frame);
    return undefined;
  }

  #onClose(payload: Uint8Array): void {
    const close = parsePayload(PeerClose, payload);
    if (close.ok) this.#closeReason = close.value.reason;
  }

  #onText(text: string): void {
    const parsed = parseText(ReceivedMessage, text);
    if (!parsed.ok) return;
    const message = parsed.value;
    const namesTerminal = message.type !== "terminal" && message.type !== "pairpty:ping";
    if (namesTerminal && message.id !== this.#id) return;
    handleMessage(this.#handlers, message);
  }

  #onAttached({ channel, offset, cols, rows, snapshot }: ReceivedMap["pty:attached"]): void {
    this.#channel = channel;
    this.#next = offset;
    this.#written = offset;
    this.#acked = offset;
    this.#events.onSnapshot(snapshot ?? "", { cols, rows });
  }

  /** Reports an exit where the pty host died: only then it does not follow the last output. */
  #onTerminal({ event, terminal, exit }: ReceivedMap["terminal"]): void {
    if (event !== "closed" || terminal.id !== this.#id || exit === undefined) return;
    if (exit.exitCode === null && exit.signal === null) this.#events.onExited(exit);
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
    return this.#events.onOutput(output.body.subarray(known), () => this.#onWritten(channel, end));
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

/** Calls the handler of a message's type. */
function handleMessage<Type extends keyof ReceivedMap>(
  handlers: { readonly [One in Type]: (message: ReceivedMap[One]) => void },
  message: { readonly [One in Type]: ReceivedMap[One] & { readonly type: One } }[Type],
): void {
  handlers[message.type](message);
}

// Owns a page without a browser: the page's own rules of resuming, acking and dialling again, on a
// screen that keeps what is written to it.

import { WebSocket } from "ws";
import type { PtyEvent, RoomEvent } from "../../protocol/pty.ts";
import { encodeAcks, PROOF_CHANNEL } from "../../protocol/output.ts";
import { toText } from "../../protocol/text.ts";
import { RAW_SUBPROTOCOL } from "../../protocol/limits.ts";
import { Acks } from "../../web/session/acks.ts";
import { Attachment } from "../../web/session/attachment.ts";
import { BACKOFF, backoff } from "../../web/session/room-socket.ts";
import type { HandlersFor } from "../../web/session/dialect.ts";
import { dispatchMessage, dispatchBridgeMessage, parseBinary } from "../../web/session/messages.ts";
import { untilWoken } from "../support/waiting.ts";

/** As web/session/room-socket.ts has them. */
const PING_MS = 25_000;
const PONG_MS = 8_000;

export class PageViewer {
  text = "";
  /** Clean screens that it was given. */
  starts = 0;
  readonly #url: string;
  readonly #token: string;
  readonly #attachment: Attachment;
  readonly #acks: Acks;
  readonly #watchers = new Set<() => void>();
  readonly #room: Partial<HandlersFor<RoomEvent>> = {
    "pairpty:ping": ({ n }) => void this.#send(JSON.stringify({ type: "pairpty:pong", n })),
  };
  readonly #bridge: Partial<HandlersFor<PtyEvent>> = {
    "pty:terminals": () => this.#attachment.onBridge(),
    "pty:attached": (message) => {
      if (message.id === this.#attachment.id) this.#attachment.onAttached(message);
    },
    "pty:exit": ({ id }) => {
      if (id === this.#attachment.id) this.#attachment.onExit();
    },
  };
  readonly #pinger = setInterval(() => this.#ping(), PING_MS);
  #socket: WebSocket | undefined;
  #tries = 0;
  #deadline: NodeJS.Timeout | undefined;
  #ended = false;
  #stopped = false;

  constructor(url: string, token: string, id: string) {
    this.#url = url;
    this.#token = token;
    this.#acks = new Acks({ send: (news, proof) => this.#ack(news, proof), eager: true });
    const shown = (bytes: Uint8Array, rendered: () => void) => {
      this.text += toText(bytes);
      setImmediate(rendered);
    };
    const screen = {
      replay: (bytes: Uint8Array, rendered: () => void) => {
        this.starts++;
        this.text = "";
        shown(bytes, rendered);
      },
      write: shown,
      layout: () => {},
      reportSize: () => {},
      end: () => {
        this.#ended = true;
      },
    };
    this.#attachment = new Attachment(id, screen, this.#acks, (request) =>
      this.#send(JSON.stringify(request)),
    );
    this.#dial();
  }

  async attached(): Promise<void> {
    await this.#until(() => this.starts > 0, "the page was not attached", 30_000);
  }

  async exited(milliseconds: number): Promise<void> {
    await this.#until(() => this.#ended, "the page saw no exit", milliseconds);
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#pinger);
    clearTimeout(this.#deadline);
    this.#acks.dispose();
    this.#socket?.terminate();
  }

  async #until(look: () => boolean, otherwise: string, milliseconds: number): Promise<void> {
    await untilWoken(this.#watchers, look, milliseconds, () => otherwise);
  }

  #dial(): void {
    const offered = [RAW_SUBPROTOCOL, this.#token];
    const socket = new WebSocket(this.#url, offered, { perMessageDeflate: false });
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.on("open", () => {
      this.#tries = 0;
      socket.send("ping");
    });
    socket.on("message", (data, isBinary) => {
      if (socket !== this.#socket) return;
      this.#received();
      if (isBinary && data instanceof ArrayBuffer) this.#onBinary(data);
      else if (Buffer.isBuffer(data))
        dispatchMessage({ room: this.#room, bridge: this.#bridge }, data.toString());
      for (const watcher of this.#watchers) watcher();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      if (socket === this.#socket && !this.#stopped) this.#again();
    });
  }

  #again(): void {
    this.#received();
    this.#attachment.onCut();
    setTimeout(() => this.#dial(), Math.max(BACKOFF.firstMs, backoff(++this.#tries)));
  }

  #onBinary(data: ArrayBuffer): void {
    const read = parseBinary(data);
    if (read?.is === "proof") return this.#acks.answerProof(read.n);
    if (read?.is !== "output" || read.channel !== this.#attachment.channel) return undefined;
    if (read.output.span > 0) return this.#attachment.onOutput(read.output);
    return dispatchBridgeMessage({ bridge: this.#bridge }, toText(read.output.body));
  }

  #ack(rendered: ReadonlyMap<string, number>, proof: number | undefined): void {
    const acks = proof === undefined ? [] : [{ channel: PROOF_CHANNEL, offset: proof }];
    const { channel } = this.#attachment;
    for (const offset of rendered.values()) {
      if (channel !== undefined) acks.push({ channel, offset });
    }
    if (acks.length > 0) this.#send(encodeAcks(0, acks));
  }

  #send(message: string | Uint8Array): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(message);
    return true;
  }

  #ping(): void {
    if (!this.#send("ping")) return;
    this.#deadline ??= setTimeout(() => {
      const silent = this.#socket;
      this.#socket = undefined;
      silent?.terminate();
      this.#again();
    }, PONG_MS);
  }

  #received(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }
}

// Owns a WebSocket client of the relay, which keeps what came and how it ended.

import { WebSocket } from "ws";
import { Inbox } from "./inbox.ts";
import { within } from "./waiting.ts";

/** Any WebSocket client. Text and bytes that came, and how it ended. */
export class TestSocket {
  readonly raw: WebSocket;
  readonly opened: Promise<string>;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #texts = new Inbox<string>((text) => text.slice(0, 80));
  readonly binary: Uint8Array[] = [];
  /** Answers to keepalives, of which the first is sent by itself. */
  pongs = 0;

  constructor(url: string, protocols: string[], headers: Record<string, string>) {
    this.raw = new WebSocket(url, protocols, { headers, perMessageDeflate: false });
    this.raw.binaryType = "nodebuffer";
    const opened = new Promise<string>((resolve, reject) => {
      this.raw.on("open", () => {
        // As real clients do, and needed: workerd ends the TCP connection of a client that it
        // closes only if that client has ever sent anything. The close frame itself comes at once.
        this.raw.send("ping");
        resolve(this.raw.protocol);
      });
      this.raw.on("error", reject);
      this.raw.on("unexpected-response", (_request, response) => {
        reject(new Error(`the upgrade was answered ${response.statusCode}`));
        response.resume();
      });
    });
    opened.catch(() => undefined);
    this.opened = opened;
    this.closed = new Promise((resolve) => {
      this.raw.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    this.raw.on("message", (data: Buffer, isBinary) => {
      const text = isBinary ? undefined : data.toString();
      if (text === undefined) this.binary.push(data);
      else if (text === "pong") this.pongs++;
      else this.#texts.put(text);
    });
  }

  get texts(): readonly string[] {
    return this.#texts.items;
  }

  text(
    matches: (text: string) => boolean,
    what = "a text",
    milliseconds?: number,
  ): Promise<string> {
    return this.#texts.next(what, matches, milliseconds);
  }

  bridge(state: "here" | "away"): Promise<string> {
    const matches = (text: string) => text.includes(`"state":"${state}"`);
    return this.#texts.next(`bridge: ${state}`, matches);
  }

  end(): void {
    this.raw.terminate();
  }

  close(what = "the socket was not closed", milliseconds?: number): Promise<{ code: number }> {
    return within(this.closed, what, milliseconds);
  }
}

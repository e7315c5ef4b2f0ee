// Owns how messages travel: by a WebSocket for all but one, whose output is an event stream.

import type { IncomingMessage } from "node:http";
import { get } from "node:http";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import type { Message } from "./dialect.ts";
import type { Viewed } from "./viewing.ts";

export interface Transport {
  onMessage: (data: Buffer, binary: boolean) => void;
  onEnd: (error: Error) => void;
  send(message: Message): void;
  pause: () => void;
  resume: () => void;
  close: () => void;
}

/** Resolves when it is open. */
export function dial({ url, protocols, dialect }: Viewed): Promise<Transport> {
  return dialect === "vibetunnel" ? dialEvents(url) : dialSocket(url, protocols);
}

async function dialSocket(url: string, protocols: readonly string[]): Promise<Transport> {
  // Servers that look at it want their own.
  const { origin } = new URL(url.replace(/^ws/, "http"));
  const socket = new WebSocket(url, [...protocols], { perMessageDeflate: false, origin });
  const transport: Transport = {
    onMessage: () => {},
    onEnd: () => {},
    send: (message) => socket.send(message),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.terminate(),
  };
  socket.on("message", (data: Buffer, binary) => transport.onMessage(data, binary));
  socket.on("close", (code) => transport.onEnd(new Error(`the socket closed with ${code}`)));
  socket.on("error", (error) => transport.onEnd(error));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
    socket.once("close", (code) => reject(new Error(`the socket closed with ${code}`)));
  });
  return transport;
}

/** The URL is the input's socket; the stream's stands in its fragment. */
async function dialEvents(url: string): Promise<Transport> {
  const [input = "", events = ""] = url.split("#");
  const transport = await dialSocket(input, []);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(decodeURIComponent(events), resolve).on("error", reject);
  });
  const lines = createInterface({ input: response });
  lines.on("line", (line) => {
    if (line.startsWith("data: ")) transport.onMessage(Buffer.from(line.slice(6)), false);
  });
  transport.pause = () => response.pause();
  transport.resume = () => response.resume();
  const closeInput = transport.close;
  transport.close = () => {
    response.destroy();
    closeInput();
  };
  return transport;
}

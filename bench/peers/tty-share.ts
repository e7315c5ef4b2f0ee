// Owns tty-share as a peer, without its public proxy: JSON in which the payload is JSON in base64, in
// which the bytes are base64. Written from its source; see docs/performance.md for whether it was run.

import type { Dialect } from "../viewer/dialect.ts";
import type { Peer } from "./peer.ts";
import { findProgram } from "./peer.ts";

export const ttyShare: Peer = {
  name: "tty-share",
  find: (folder) => findProgram("tty-share", folder),
  serve: (file, script, port) => ({
    file,
    args: ["--headless", "--no-wait", "--listen", `127.0.0.1:${port}`, "--command", script],
  }),
  viewed: (port) =>
    Promise.resolve({
      id: "tty-share",
      url: `ws://127.0.0.1:${port}/s/local/ws/`,
      protocols: [],
      dialect: "tty-share",
      acks: "never",
    }),
};

interface Wrapper {
  readonly Type: string;
  readonly Data: string;
}

export function ttyShareDialect(id: string): Dialect {
  let offset = 0;
  const bytesOf = ({ Data }: Wrapper): Buffer => {
    const inner: { Data: string } = JSON.parse(Buffer.from(Data, "base64").toString());
    return Buffer.from(inner.Data, "base64");
  };
  const parse = (message: Buffer): Wrapper => JSON.parse(message.toString());
  return {
    hello: () => [],
    // A new size makes it print its screen again: what a viewer that came late sees first.
    attach: () => [wrap("WinSize", { Cols: 80, Rows: 24 })],
    input: (_, data) => {
      const bytes = Buffer.from(data);
      return wrap("Write", { Data: bytes.toString("base64"), Size: bytes.length });
    },
    ack: () => [],
    hear: (message) => {
      const words = parse(message);
      if (words.Type !== "Write") return undefined;
      const data = bytesOf(words);
      offset += data.length;
      return { is: "output", id, data, offset: offset - data.length, next: offset };
    },
    body: (message) => bytesOf(parse(message)),
  };
}

function wrap(type: string, inner: object): string {
  return JSON.stringify({
    Type: type,
    Data: Buffer.from(JSON.stringify(inner)).toString("base64"),
  });
}

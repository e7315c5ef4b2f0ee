// Owns ttyd as a peer: one byte says what a message is, the first is JSON. Each viewer has a program
// of its own, straight from the server, without a relay.

import { Buffer } from "node:buffer";
import type { Dialect } from "../viewer/dialect.ts";
import type { Peer } from "./peer.ts";
import { findProgram } from "./peer.ts";

const OUTPUT = 0x30;
const INPUT = "0";

export const ttyd: Peer = {
  name: "ttyd",
  isShared: false,
  find: (folder) => findProgram("ttyd", folder),
  serve: (file, script, port) => ({
    file,
    args: ["-W", "-p", String(port), "-i", "127.0.0.1", script],
  }),
  viewed: (port) =>
    Promise.resolve({
      id: "ttyd",
      url: `ws://127.0.0.1:${port}/ws`,
      protocols: ["tty"],
      dialect: "ttyd",
      acks: "never",
    }),
};

export function ttydDialect(id: string): Dialect {
  let offset = 0;
  return {
    hello: () => [Buffer.from(JSON.stringify({ AuthToken: "", columns: 80, rows: 24 }))],
    attach: () => [],
    input: (_, data) => Buffer.from(INPUT + data),
    ack: () => [],
    hear: (message) => {
      if (message[0] !== OUTPUT) return undefined;
      const data = message.subarray(1);
      offset += data.length;
      return { is: "output", id, data, offset: offset - data.length, next: offset };
    },
    body: (message) => message.subarray(1),
  };
}

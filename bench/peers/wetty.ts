// Owns wetty as a peer: socket.io over a WebSocket, events `data` and `input`, and `commit` for what
// was rendered. Run by root it starts a program; run by others it wants an SSH server.

import type { Dialect } from "../viewer/dialect.ts";
import type { Peer } from "./peer.ts";
import { findProgram } from "./peer.ts";

/** As its own client does. */
const COMMIT_BYTES = 262_144;

export const wetty: Peer = {
  name: "wetty",
  isShared: false,
  find: (folder) => {
    if (process.getuid?.() !== 0) return { ok: false, why: "it runs a program only as root" };
    return findProgram("wetty", folder, "wetty/build/main.js");
  },
  serve: (file, script, port) => ({
    file: process.execPath,
    args: `--host 127.0.0.1 --port ${port} --base /wetty --ssh-host 127.0.0.1 --log-level error`
      .split(" ")
      .toSpliced(0, 0, file)
      .concat("--command", script),
    env: { NODE_ENV: "production" },
  }),
  viewed: (port) =>
    Promise.resolve({
      id: "wetty",
      url: `ws://127.0.0.1:${port}/wetty/socket.io/?EIO=4&transport=websocket`,
      protocols: [],
      dialect: "wetty",
      acks: "eager",
    }),
};

const DATA = '42["data",';

export function wettyDialect(id: string): Dialect {
  let offset = 0;
  let committed = 0;
  const getText = (message: Buffer): string => {
    const [, text]: [string, string] = JSON.parse(message.toString("utf8", 2));
    return text;
  };
  return {
    hello: () => ["40"],
    attach: () => [],
    input: (_, data) => `42${JSON.stringify(["input", data])}`,
    // It counts characters, and only in whole steps.
    ack: (rendered) => {
      const sent: string[] = [];
      for (; (rendered.get(id) ?? 0) - committed >= COMMIT_BYTES; committed += COMMIT_BYTES) {
        sent.push(`42${JSON.stringify(["commit", COMMIT_BYTES])}`);
      }
      return sent;
    },
    hear: (message) => {
      if (!message.subarray(0, DATA.length).equals(Buffer.from(DATA))) return undefined;
      const data = getText(message);
      offset += Buffer.byteLength(data);
      return { is: "output", id, data, offset: offset - Buffer.byteLength(data), next: offset };
    },
    body: getText,
  };
}

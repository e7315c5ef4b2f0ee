// Owns tty-share as a peer, without its public proxy: JSON in which the payload is JSON in base64, in
// which the bytes are base64.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "../viewer/dialect.ts";
import type { Peer } from "./peer.ts";
import { findProgram } from "./peer.ts";

/** Where its page says that the socket is; 2.4.0 and 2.4.1 differ by a slash. */
const PATH_HEADER = "ttyshare-tty-wspath";

/** What is typed first: see `serve`. */
const START = "\n";

export const ttyShare: Peer = {
  name: "tty-share",
  isShared: true,
  find: (folder) => findProgram("tty-share", folder),
  // It keeps nothing for who comes later, so the program waits for its viewer to say that it is there.
  serve: (file, script, port, folder) => {
    const waiting = join(folder, "waiting.sh");
    writeFileSync(waiting, `#!/bin/sh\nstty -echo; read start; exec ${script}\n`, { mode: 0o755 });
    return {
      file,
      args: ["--headless", "--no-wait", "--listen", `127.0.0.1:${port}`, "--command", waiting],
    };
  },
  viewed: async (port) => {
    const page = await fetch(`http://127.0.0.1:${port}/s/local/`);
    await page.body?.cancel();
    return {
      id: "tty-share",
      url: `ws://127.0.0.1:${port}${page.headers.get(PATH_HEADER) ?? "/s/local/ws"}`,
      protocols: [],
      dialect: "tty-share",
      acks: "never",
    };
  },
};

interface Wrapper {
  readonly Type: string;
  readonly Data: string;
}

export function ttyShareDialect(id: string): Dialect {
  let offset = 0;
  const toBytes = ({ Data }: Wrapper): Buffer => {
    const inner: { Data: string } = JSON.parse(Buffer.from(Data, "base64").toString());
    return Buffer.from(inner.Data, "base64");
  };
  const parse = (message: Buffer): Wrapper => JSON.parse(message.toString());
  return {
    hello: () => [],
    attach: () => [typed(START)],
    input: (_, data) => typed(data),
    ack: () => [],
    hear: (message) => {
      const words = parse(message);
      if (words.Type !== "Write") return undefined;
      const data = toBytes(words);
      offset += data.length;
      return { is: "output", id, data, offset: offset - data.length, next: offset };
    },
    body: (message) => toBytes(parse(message)),
  };
}

function typed(text: string): string {
  const bytes = Buffer.from(text);
  const inner = JSON.stringify({ Data: bytes.toString("base64"), Size: bytes.length });
  return JSON.stringify({ Type: "Write", Data: Buffer.from(inner).toString("base64") });
}

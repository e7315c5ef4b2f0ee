// Owns vibetunnel as a peer: a session is made by HTTP, its output is an event stream of a recording,
// and keystrokes go by a WebSocket.

import type { Dialect } from "../viewer/dialect.ts";
import type { Peer } from "./peer.ts";
import { findProgram } from "./peer.ts";

/** Not its `bin`, which as published loads this and then does nothing (1.0.0-beta.15.1). */
export const vibetunnel: Peer = {
  name: "vibetunnel",
  isShared: true,
  find: (folder) => findProgram("vibetunnel", folder, "vibetunnel/dist/vibetunnel-cli"),
  serve: (file, _, port, folder) => ({
    file: process.execPath,
    args: [file, "--port", String(port), "--bind", "127.0.0.1", "--no-auth", "--no-mdns"],
    env: { VIBETUNNEL_CONTROL_DIR: `${folder}/control`, SHELL: "/bin/sh" },
  }),
  viewed: async (port, script) => {
    const origin = `http://127.0.0.1:${port}`;
    const response = await fetch(`${origin}/api/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ command: [script], workingDir: "/tmp", cols: 80, rows: 24 }),
    });
    const answer: { sessionId: string } = JSON.parse(await response.text());
    const events = encodeURIComponent(`${origin}/api/sessions/${answer.sessionId}/stream`);
    return {
      id: "vibetunnel",
      url: `ws://127.0.0.1:${port}/ws/input?sessionId=${answer.sessionId}#${events}`,
      protocols: [],
      dialect: "vibetunnel",
      acks: "never",
    };
  },
};

/** An event is `[seconds, kind, text]`, and "o" is output. */
export function vibetunnelDialect(id: string): Dialect {
  let offset = 0;
  const getText = (message: Buffer): string | undefined => {
    const event: unknown = JSON.parse(message.toString());
    return Array.isArray(event) && event[1] === "o" ? String(event[2]) : undefined;
  };
  return {
    hello: () => [],
    attach: () => [],
    input: (_, data) => data,
    ack: () => [],
    hear: (message) => {
      const data = getText(message);
      if (data === undefined) return undefined;
      offset += Buffer.byteLength(data);
      return { is: "output", id, data, offset: offset - Buffer.byteLength(data), next: offset };
    },
    body: (message) => getText(message) ?? "",
  };
}

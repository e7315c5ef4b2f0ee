// Owns how a local agent says who it is: `pairpty mcp` sends a line before everything else, with the
// name it was given; without one, the client's first message names its program. What comes behind is
// left on the socket, whole.

import type { Socket } from "node:net";
import * as z from "zod";
import { parseText } from "../../../protocol/json.ts";

const NEWLINE = 0x0a;

/** The verb's line. */
const Introduction = z.object({ pairpty: z.object({ name: z.string().optional() }) });
export type Introduction = z.infer<typeof Introduction>;

/** Both wires say which program speaks: in `initialize`, or with every request. */
const Named = z.object({
  params: z.object({
    clientInfo: z.object({ name: z.string() }).optional(),
    _meta: z
      .object({
        "io.modelcontextprotocol/clientInfo": z.object({ name: z.string() }).optional(),
      })
      .optional(),
  }),
});

/**
 * Calls back once with the name, when it is known or is not to be had; never for a connection that
 * ends before it has said anything, or says more than `most` bytes without an end of line.
 */
export function introduce(
  socket: Socket,
  most: number,
  then: (name: string | undefined) => void,
): void {
  let bytes = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf(NEWLINE);
    if (end < 0) {
      if (bytes.length > most) socket.destroy();
      return;
    }
    const line = bytes.toString("utf8", 0, end);
    const said = parseText(Introduction, line);
    if (said.ok) {
      bytes = bytes.subarray(end + 1);
      if (said.value.pairpty.name !== undefined) return done(said.value.pairpty.name);
      // The client's own first message is behind it, or comes next.
      return bytes.includes(NEWLINE) ? onData(Buffer.alloc(0)) : undefined;
    }
    return done(clientName(line));
  };
  const done = (name: string | undefined) => {
    socket.off("data", onData);
    socket.pause();
    if (bytes.length > 0) socket.unshift(bytes);
    then(name);
    // Whoever was called listens by then; a socket that was paused does not flow by itself.
    setImmediate(() => socket.resume());
  };
  socket.on("data", onData);
}

function clientName(line: string): string | undefined {
  const named = parseText(Named, line);
  if (!named.ok) return undefined;
  const { clientInfo, _meta } = named.value.params;
  return (clientInfo ?? _meta?.["io.modelcontextprotocol/clientInfo"])?.name;
}

// Owns how a local agent says who it is: `pairpty mcp` sends a line before everything else, with the
// name it was given; without one, the client's first message names its program. What comes behind is
// left on the socket, whole.

import type { Socket } from "node:net";
import * as z from "zod";
import { parseText } from "../../../protocol/json.ts";
import { closeIfSilent } from "../../local/socket.ts";

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
 * ends before it has said anything, says nothing for too long, or says more than `most` bytes without
 * an end of line.
 */
export function introduce(
  socket: Socket,
  most: number,
  then: (name: string | undefined) => void,
): void {
  const spoke = closeIfSilent(socket);
  let pieces: Buffer[] = [];
  let length = 0;
  let isIntroduced = false;
  const onData = (chunk: Buffer): void => {
    pieces.push(chunk);
    length += chunk.length;
    if (!chunk.includes(NEWLINE)) {
      if (length > most) socket.destroy();
      return;
    }
    spoke();
    const bytes = Buffer.concat(pieces);
    const end = bytes.indexOf(NEWLINE);
    const line = bytes.toString("utf8", 0, end);
    // There is one: a second line of the kind is no message, and is answered as that.
    const said = isIntroduced ? undefined : parseText(Introduction, line);
    if (said?.ok !== true) return done(clientName(line), bytes);
    isIntroduced = true;
    const rest = bytes.subarray(end + 1);
    if (said.value.pairpty.name !== undefined) return done(said.value.pairpty.name, rest);
    pieces = [];
    length = 0;
    // The client's own first message is behind it, or comes next.
    if (rest.length > 0) onData(rest);
  };
  const done = (name: string | undefined, rest: Buffer) => {
    socket.off("data", onData);
    socket.pause();
    if (rest.length > 0) socket.unshift(rest);
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

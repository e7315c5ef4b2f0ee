// Owns how a local agent introduces itself: `pairpty mcp` first sends a line with its given name;
// without one, the client's first message names its program. Everything after the line stays on the
// socket.

import type { Socket } from "node:net";
import * as z from "zod";
import { parseText } from "../../../protocol/json.ts";
import { closeIfSilent } from "../../local/local-socket.ts";

const NEWLINE = 0x0a;

/** The line that `pairpty mcp` sends. */
const Introduction = z.object({ pairpty: z.object({ name: z.string().optional() }) });
export type Introduction = z.infer<typeof Introduction>;

/** Both wires name the client's program: in `initialize`, or with every request. */
const ClientNamed = z.object({
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
 * Calls `onName` once, with the name or undefined if there is none. Never calls it for a connection
 * that ends or stays silent before its first line, or sends over `maxBytes` without a newline.
 */
export function readIntroduction(
  socket: Socket,
  maxBytes: number,
  onName: (name: string | undefined) => void,
): void {
  const markActive = closeIfSilent(socket);
  let pieces: Buffer[] = [];
  let length = 0;
  let isIntroduced = false;
  const onData = (chunk: Buffer): void => {
    pieces.push(chunk);
    length += chunk.length;
    if (!chunk.includes(NEWLINE)) {
      if (length > maxBytes) socket.destroy();
      return;
    }
    markActive();
    const bytes = Buffer.concat(pieces);
    const end = bytes.indexOf(NEWLINE);
    const line = bytes.toString("utf8", 0, end);
    // Only one introduction counts: a second is handled as an invalid message.
    const introduction = isIntroduced ? undefined : parseText(Introduction, line);
    if (introduction?.ok !== true) return done(findClientName(line), bytes);
    isIntroduced = true;
    const rest = bytes.subarray(end + 1);
    if (introduction.value.pairpty.name !== undefined)
      return done(introduction.value.pairpty.name, rest);
    pieces = [];
    length = 0;
    // The client's first message is in the rest, or comes next.
    if (rest.length > 0) onData(rest);
  };
  const done = (name: string | undefined, rest: Buffer) => {
    socket.off("data", onData);
    socket.pause();
    if (rest.length > 0) socket.unshift(rest);
    onName(name);
    // The callback has subscribed by then; a paused socket does not resume automatically.
    setImmediate(() => socket.resume());
  };
  socket.on("data", onData);
}

function findClientName(line: string): string | undefined {
  const named = parseText(ClientNamed, line);
  if (!named.ok) return undefined;
  const { clientInfo, _meta } = named.value.params;
  return (clientInfo ?? _meta?.["io.modelcontextprotocol/clientInfo"])?.name;
}

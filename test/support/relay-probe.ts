// Owns the probe beside the relay under test: the Worker that looks into rooms, and what it tells.

import * as z from "zod/mini";

/**
 * A Worker around the built one: `/probe/:workspace` tells of a room's inside, and rooms whose name
 * begins with "broken-" throw. Attachments decoded are counted for the whole isolate.
 */
export const PROBE_WORKER = `
import worker, { WorkspaceRoom as Room } from "./worker.js";
export { ClosedSocket } from "./worker.js";
let decoded = 0;
const original = WebSocket.prototype.deserializeAttachment;
WebSocket.prototype.deserializeAttachment = function () { decoded++; return original.call(this); };
export class WorkspaceRoom extends Room {
  #boot = crypto.randomUUID();
  probe() {
    return { boot: this.#boot, decoded, keys: [...this.ctx.storage.kv.list()].map(([key]) => key) };
  }
  onRequest(request) {
    if (this.name.startsWith("broken-")) throw new Error("secret of the room");
    return super.onRequest(request);
  }
  onConnect(connection, context) {
    const people = new URL(context.request.url).pathname === "/peer";
    if (people && this.name.startsWith("broken-")) throw new Error("secret of the room");
    if (people) this.seen = [context.request.url, ...context.request.headers.keys()];
    return super.onConnect(connection, context);
  }
  lastPeer() { return this.seen; }
}
export default {
  async fetch(request, env, ctx) {
    const [, area, workspace, what] = new URL(request.url).pathname.split("/");
    if (area !== "probe") return worker.fetch(request, env, ctx);
    const room = env.WORKSPACE.get(env.WORKSPACE.idFromName(workspace));
    return Response.json(what === "peer" ? await room.lastPeer() : await room.probe());
  },
};
`;

export const Probe = z.object({ boot: z.string(), decoded: z.int(), keys: z.array(z.string()) });
export type Probe = z.infer<typeof Probe>;

// Owns the probe beside the relay under test: the Worker that looks into rooms, and what it tells.

import * as z from "zod/mini";

/**
 * A Worker around the built one: `/probe/:workspace` tells of a room's inside, and rooms whose name
 * begins with "broken-" throw, and one called "look-2000-…" looks at its bridge every 2 s. Attachments decoded are counted for the whole isolate.
 */
export const PROBE_WORKER = `
import worker, { WorkspaceRoom as Room } from "./worker.js";
export { ClosedSocket } from "./worker.js";
let decoded = 0;
const alarms = new Map();
const alarmsOf = (id) => alarms.get(id.toString()) ?? { alarms: [], awakeMs: 0 };
const original = WebSocket.prototype.deserializeAttachment;
WebSocket.prototype.deserializeAttachment = function () { decoded++; return original.call(this); };
export class WorkspaceRoom extends Room {
  #boot = crypto.randomUUID();
  async probe() {
    const keys = [...this.ctx.storage.kv.list()].map(([key]) => key);
    const alarmAt = await this.ctx.storage.getAlarm();
    return { boot: this.#boot, decoded, keys, alarmAt, ...alarmsOf(this.ctx.id) };
  }
  get lookEveryMs() {
    return Number(/^look-(\\d+)-/.exec(this.ctx.id.name)?.[1] ?? super.lookEveryMs);
  }
  forgetName() { return this.ctx.storage.kv.delete("__ps_name"); }
  async alarm() {
    const known = alarmsOf(this.ctx.id);
    alarms.set(this.ctx.id.toString(), known);
    known.alarms.push(this.#boot);
    const from = Date.now();
    await super.alarm();
    // A Worker's clock stands still until it waits for something.
    await scheduler.wait(1);
    known.awakeMs += Date.now() - from;
  }
  onRequest(request) {
    if (this.name.startsWith("broken-")) throw new Error("secret of the room");
    return super.onRequest(request);
  }
  onConnect(connection, context) {
    const people = new URL(context.request.url).pathname === "/peer";
    if (people && this.name.startsWith("broken-")) throw new Error("secret of the room");
    if (people) this.seen = [context.request.url, ...Array.from(context.request.headers, (header) => header.join(": "))];
    return super.onConnect(connection, context);
  }
  lastPeer() { return this.seen; }
}
export default {
  async fetch(request, env, ctx) {
    const [, area, workspace, what] = new URL(request.url).pathname.split("/");
    if (area !== "probe") return worker.fetch(request, env, ctx);
    const id = env.WORKSPACE.idFromName(workspace);
    if (what === "alarms") return Response.json(alarmsOf(id).alarms);
    const room = env.WORKSPACE.get(id);
    if (what === "forget-name") return Response.json(await room.forgetName());
    return Response.json(what === "peer" ? await room.lastPeer() : await room.probe());
  },
};
`;

export const Probe = z.object({
  boot: z.string(),
  decoded: z.int(),
  keys: z.array(z.string()),
  /** Unix ms. */
  alarmAt: z.nullable(z.number()),
  /** The boot id of the object that each alarm met. */
  alarms: z.array(z.string()),
  /** Milliseconds in their handlers, rounded up. */
  awakeMs: z.number(),
});
export type Probe = z.infer<typeof Probe>;

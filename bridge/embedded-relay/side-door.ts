// Owns closing Miniflare's side door: beside workerd's port it opens another one for its own
// helpers, which asks nobody who they are and writes files wherever a request says. Nothing of ours
// uses it. Must run before Miniflare is loaded.

import http from "node:http";

/** From now on every HTTP server made in this process hangs up on whoever connects. */
export function closeSideDoor(): void {
  const create = http.createServer.bind(http);
  http.createServer = ((...args: Parameters<typeof http.createServer>) => {
    const server = create(...args);
    server.on("connection", (socket) => socket.destroy());
    return server;
  }) as typeof http.createServer;
}

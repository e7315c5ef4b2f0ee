// Owns closing Miniflare's side door: beside workerd's port it opens another one for its own
// helpers, which asks nobody who they are and writes files wherever a request says. Nothing of ours
// uses it. Must run before Miniflare is loaded.

import http from "node:http";

/** From now on every HTTP server made in this process hangs up on whoever connects. */
export function closeSideDoor(): void {
  http.createServer = new Proxy(http.createServer, {
    apply(create, self, args) {
      const server: http.Server = Reflect.apply(create, self, args);
      server.on("connection", (socket) => socket.destroy());
      return server;
    },
  });
}

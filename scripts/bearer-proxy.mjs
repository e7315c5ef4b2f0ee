// Owns a loopback HTTP proxy for clients that cannot send a header: it adds the bearer token and
// passes everything else on as it came, streaming both ways. It opens no way in that was not there:
// the relay checks the token, the Host and the Origin of what comes through as of anything else.

import { createServer, request as ask } from "node:http";
import { pipeline } from "node:stream";

const LOOPBACK = "127.0.0.1";
/** The path under which a client finds the endpoint here. */
const PATH = "/mcp";

/** Resolves with the address for the client, and how to end the proxy. */
export async function openBearerProxy(endpoint, token) {
  const target = new URL(endpoint);
  const server = createServer((request, response) => {
    const passed = ask({
      // A connection for each request: workerd closes one on which it refused a request whose body it
      // had not read, and does not say so, so the next request on it could be lost.
      agent: false,
      host: target.hostname,
      port: target.port,
      method: request.method,
      path: request.url.replace(PATH, target.pathname),
      headers: [
        ...translate(request.rawHeaders, server.address().port, target.host),
        "Authorization",
        `Bearer ${token}`,
      ],
    });
    passed.on("response", (answer) => {
      response.writeHead(answer.statusCode, answer.statusMessage, answer.rawHeaders);
      // A stream may stay silent for long after its head.
      response.flushHeaders();
      pipeline(answer, response, () => {});
    });
    passed.on("error", () => {
      if (response.headersSent) return response.destroy();
      return response.writeHead(502).end();
    });
    pipeline(request, passed, () => {});
    response.on("close", () => passed.destroy());
  });
  await new Promise((resolve) => {
    server.listen(0, LOOPBACK, resolve);
  });
  return {
    url: `http://${LOOPBACK}:${server.address().port}${PATH}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Raw headers with the proxy's own name, in Host and Origin, as the relay's. Other names are left:
    whether they may ask is the relay's to say. */
function translate(raw, port, relay) {
  const own = new RegExp(`^(http://)?(127\\.0\\.0\\.1|localhost):${port}$`);
  return raw.map((text, at) => {
    const name = at % 2 === 0 ? "" : raw[at - 1].toLowerCase();
    return name === "host" || name === "origin" ? text.replace(own, `$1${relay}`) : text;
  });
}

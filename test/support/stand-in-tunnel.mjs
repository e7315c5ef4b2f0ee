// A stand-in for the programs that make tunnels: prints what the real one prints and carries TLS
// traffic to the port, with the Host that the client sent. node stand-in-tunnel.mjs FOLDER KIND ARGS…
// FOLDER has key.pem, cert.pem and `names`, a name per start; it gets `port` and `pids`.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";

const [folder, kind, ...args] = process.argv.slice(2);
const at = (name) => join(folder, name);
const target = Number(
  args.join(" ").match(/(?:127\.0\.0\.1:|localhost:|\s|^)(\d{2,5})(?!\.)/)?.[1],
);
appendFileSync(at("pids"), `${process.pid}\n`);

if (existsSync(at("broken"))) {
  console.error(`${kind}: failed to request quick Tunnel: no such host`);
  process.exit(1);
}

const server = createServer(
  { key: readFileSync(at("key.pem")), cert: readFileSync(at("cert.pem")) },
  (near) => {
    const far = createConnection(target, "127.0.0.1");
    for (const side of [near, far]) side.on("error", () => side.destroy());
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  },
);
server.on("tlsClientError", () => {});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  writeFileSync(at("port"), String(port));
  const [name, ...rest] = readFileSync(at("names"), "utf8").trim().split("\n");
  if (rest.length > 0) writeFileSync(at("names"), rest.join("\n"));
  print(name.replace("{port}", String(port)));
});

function print(name) {
  const host = name.includes(".") ? name : `${name}.trycloudflare.com`;
  const say = { cloudflared, tailscale, ngrok, ssh }[kind] ?? plain;
  say(host);
}

function cloudflared(host) {
  const now = "2026-01-20T09:56:33Z INF";
  console.error(
    [
      `${now} Thank you for trying Cloudflare Tunnel. Doing so, without a Cloudflare account, is a quick way to experiment. See https://developers.cloudflare.com/cloudflare-one/connections/connect-apps`,
      `${now} Requesting new quick Tunnel on trycloudflare.com...`,
      `${now} +--------------------------------------------------------------------------------------------+`,
      `${now} |  Your quick Tunnel has been created! Visit it at (it may take some time to be reachable):  |`,
      `${now} |  https://${host}                              |`,
      `${now} +--------------------------------------------------------------------------------------------+`,
    ].join("\n"),
  );
}

function tailscale(host) {
  console.log(
    `Available on the internet:\n\nhttps://${host}/\n|-- proxy http://127.0.0.1:${target}\n\nPress Ctrl+C to exit.`,
  );
}

function ngrok(host) {
  console.log(
    `t=2026-01-20T09:06:27+0000 lvl=info msg="started tunnel" obj=tunnels name=command_line addr=http://localhost:${target} url=https://${host}`,
  );
}

function ssh(host) {
  console.log("create an account. see https://localhost.run/docs/forever-free/ for more.");
  console.log(`${host} tunneled with tls termination, https://${host}`);
}

function plain(host) {
  console.error(`docs: https://example.com/docs\nyour address: https://${host}`);
}

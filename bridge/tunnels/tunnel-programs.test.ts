// Which program opens the tunnel, and with which arguments. Recorded output of tunnel programs, and
// the addresses read from it.

import { expect, test } from "vitest";
import { UserError } from "../errors.ts";
import type { AddressReader } from "./tunnel-programs.ts";
import {
  isTunnelSetting,
  planTunnel,
  TUNNEL_PROGRAMS,
  listInstalledTunnels,
  readCloudflared,
  readNgrok,
  readAnyProgram,
  readSsh,
  readTailscale,
} from "./tunnel-programs.ts";

const only =
  (...names: string[]) =>
  (name: string) =>
    names.includes(name) ? `/usr/bin/${name}` : undefined;
const all = only("cloudflared", "tailscale", "ngrok", "ssh");

test("TU1 the first of cloudflared, tailscale and ngrok that is there is taken", () => {
  expect(TUNNEL_PROGRAMS).toEqual(["cloudflared", "tailscale", "ngrok"]);
  expect(planTunnel("auto", all).name).toBe("cloudflared");
  expect(planTunnel("auto", only("ngrok", "tailscale")).name).toBe("tailscale funnel");
  expect(planTunnel("auto", only("ssh", "ngrok")).name).toBe("ngrok");
  expect(listInstalledTunnels(only("ngrok"))).toEqual(["ngrok"]);
});

test("TU35 without any, or without the one that was named, the error says what to install", () => {
  for (const request of ["auto", "ngrok", "ssh me@host.example"]) {
    const plan = () => planTunnel(request, only());
    expect(plan).toThrow(UserError);
    expect(plan).toThrow(/installed here/);
  }
});

test("TU1 TU34 each is called for the port on loopback", () => {
  const argv = (request: string) => planTunnel(request, all).argv(7420).join(" ");
  expect(argv("cloudflared")).toBe(
    "/usr/bin/cloudflared tunnel --no-autoupdate --config /dev/null --url http://127.0.0.1:7420",
  );
  expect(argv("tailscale")).toBe("/usr/bin/tailscale funnel 7420");
  expect(argv("ngrok")).toBe("/usr/bin/ngrok http 7420 --log stdout --log-format logfmt");
  const ssh = argv("ssh -R nokey@localhost.run");
  expect(ssh).toMatch(/^\/usr\/bin\/ssh .*-R 80:127\.0\.0\.1:7420 nokey@localhost\.run$/);
  expect(argv("ssh -p 2222 me@host.example")).toMatch(/ -R 80:127.* -p 2222 me@host\.example$/);
  expect(argv("my-tunnel --to localhost:{port} | tee {port}.log")).toBe(
    "/bin/sh -c my-tunnel --to localhost:7420 | tee 7420.log",
  );
});

test.each(["", "nothing", "ssh", "ssh -R 80:localhost:8080 me@host", "ssh -R", "rm -rf /"])(
  "TU35 %j is no tunnel",
  (request) => {
    expect(isTunnelSetting(request)).toBe(false);
    expect(() => planTunnel(request, all)).toThrow(/is not a tunnel/);
  },
);

test("TU3 whoever can read along is named", () => {
  expect(planTunnel("cloudflared", all).operator).toBe("Cloudflare");
  expect(planTunnel("ssh me@host.example", all).operator).toBe("the operator of host.example");
});

const read = (reader: AddressReader, lines: readonly string[]) =>
  lines.flatMap((line) => reader(line) ?? []);

test("TU2 cloudflared: the name in the box, and no other link, its API's neither", () => {
  const lines = [
    "2022-01-20T09:56:33Z INF Thank you for trying Cloudflare Tunnel. Doing so, without a Cloudflare account, is a quick way to experiment and try it out. If you intend to use Tunnels in production you should use a pre-created named tunnel by following: https://developers.cloudflare.com/cloudflare-one/connections/connect-apps",
    "2022-01-20T09:56:33Z INF Requesting new quick Tunnel on trycloudflare.com...",
    'ERR failed to request quick Tunnel: Post "https://api.trycloudflare.com/tunnel": dial tcp: lookup api.trycloudflare.com',
    "2022-01-20T09:56:36Z INF +--------------------------------------------------------------------------------------------+",
    "2022-01-20T09:56:36Z INF |  Your quick Tunnel has been created! Visit it at (it may take some time to be reachable):  |",
    "2022-01-20T09:56:36Z INF |  https://disciplinary-tennis-breaking-under.trycloudflare.com                              |",
    "2022-01-20T09:56:36Z INF Version 2022.1.2 https://evil.trycloudflare.com.example",
  ];
  expect(read(readCloudflared(), lines)).toEqual([
    "https://disciplinary-tennis-breaking-under.trycloudflare.com",
  ]);
});

test("TU2 tailscale funnel: the address below its title", () => {
  const lines = [
    "Funnel is not enabled on your tailnet. To enable, visit: https://login.tailscale.com/f/funnel?node=abc",
    "https://tailscale.com",
    "Available on the internet:",
    "",
    "https://microcap-proto.tail737e71.ts.net/",
    "|-- proxy http://127.0.0.1:8765",
    "",
    "Press Ctrl+C to exit.",
  ];
  expect(read(readTailscale(), lines)).toEqual(["https://microcap-proto.tail737e71.ts.net"]);
  const together = ["Available on the internet:\thttps://home.tail9f3a.ts.net/"];
  expect(read(readTailscale(), together)).toEqual(["https://home.tail9f3a.ts.net"]);
});

test("TU2 ngrok: the address of a started tunnel, if it is https", () => {
  const lines = [
    't=2023-05-30T09:06:26+0000 lvl=info msg="starting web service" obj=web addr=127.0.0.1:4040 url=https://127.0.0.1:4040',
    't=2024-09-07T00:05:31+0000 lvl=info msg="started tunnel" obj=tunnels name=kafka addr=//kafka:9092 url=tcp://2.tcp.us-cal-1.ngrok.io:19757',
    't=2023-05-30T09:06:27+0000 lvl=info msg="started tunnel" obj=tunnels name=command_line addr=http://localhost:5000 url=https://8e00-35-197-38-167.ngrok-free.app',
  ];
  expect(read(readNgrok(), lines)).toEqual(["https://8e00-35-197-38-167.ngrok-free.app"]);
});

test("TU2 ssh -R: the sentence of the service, or an address alone on its line", () => {
  const lines = [
    "To set up and manage custom domains go to https://admin.localhost.run/",
    "authenticated as anonymous user",
    "8beaa541ba3dc2.lhr.life tunneled with tls termination, https://8beaa541ba3dc2.lhr.life",
    "create an account and add your key for a longer lasting domain name. see https://localhost.run/docs/forever-free/ for more information.",
    "Forwarding HTTP traffic from https://frosty-lake.serveo.net",
    "  \u001B[32mhttps://ab12.a.free.pinggy.link\u001B[0m",
  ];
  expect(read(readSsh(), lines)).toEqual([
    "https://8beaa541ba3dc2.lhr.life",
    "https://frosty-lake.serveo.net",
    "https://ab12.a.free.pinggy.link",
  ]);
});

test("TU2 any other command: the first address without a path, user or query", () => {
  const lines = [
    "docs: https://example.com/docs and https://example.com/?q=1, https://u:p@example.com",
    "http://plain.example.com",
    'your url is: "https://Blue-Cat.loca.lt:8443/".',
  ];
  expect(read(readAnyProgram(), lines)).toEqual(["https://blue-cat.loca.lt:8443"]);
});

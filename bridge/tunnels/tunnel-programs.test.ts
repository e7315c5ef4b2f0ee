// Which program opens the tunnel, and with which arguments.

import { expect, test } from "vitest";
import { UserError } from "../errors.ts";
import {
  isTunnelSetting,
  planTunnel,
  TUNNEL_PROGRAMS,
  listInstalledTunnels,
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

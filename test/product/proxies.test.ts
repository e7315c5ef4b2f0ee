// The product through a proxy and under TLS. Which way a dial goes, whom it trusts and what it says
// is tested beside the code: bridge/link/dial-route.test.ts.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConnectProxy } from "../support/connect-proxy.ts";
import { askRelay } from "../support/http.ts";
import { OwnRelay, RELAY_KEY } from "../support/own-relay.ts";
import { Place } from "../support/product.ts";
import type { Authority } from "../support/tls-pipe.ts";
import { makeAuthority, TlsPipe } from "../support/tls-pipe.ts";

/** Known to the proxies alone. */
const NAME = "relay.example";

let relayPlace: Place;
let relay: OwnRelay;
let authority: Authority;
let tls: TlsPipe;

beforeAll(async () => {
  relayPlace = new Place({ RELAY_KEY });
  relay = await OwnRelay.start(relayPlace);
  authority = makeAuthority([NAME, "127.0.0.1"]);
  tls = await TlsPipe.start(relay.port, authority);
});

afterAll(async () => {
  await tls[Symbol.asyncDispose]();
  authority[Symbol.dispose]();
  await relay.stop();
  await relayPlace[Symbol.asyncDispose]();
});

/** Without the proxies that this machine may have. */
function placeWith(extra: NodeJS.ProcessEnv): Place {
  const none = Object.fromEntries(
    ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]
      .flatMap((name) => [name, name.toUpperCase()])
      .map((name) => [name, ""]),
  );
  return new Place({ ...none, PAIRPTY_RELAY_KEY: RELAY_KEY, ...extra });
}

const trusting = () => ({ NODE_EXTRA_CA_CERTS: authority.file });
const named = () => `https://${NAME}:${tls.port}`;

test("O1 N9 the link goes through HTTPS_PROXY with its user and password to a relay behind TLS, and works", async () => {
  await using proxy = await ConnectProxy.start(tls.port, { credentials: "ann:p@ss w" });
  await using place = placeWith({
    https_proxy: proxy.url("ann:p%40ss%20w"),
    ...trusting(),
  });
  const product = await place.start("--relay", named(), "--e2e", "off");
  expect(proxy.asked).toEqual([`${NAME}:${tls.port}`]);
  const { workspace, tokens } = product.ready;
  const answer = await askRelay(`${relay.ready.relay}/w/${workspace}/health`, {
    headers: { authorization: `Bearer ${tokens.edit}` },
  });
  expect(await answer.json()).toMatchObject({ bridge: "ok", ptyHost: "ok" });
  expect(product.ready.relay).toBe(named());
  expect(product.ready.links.edit).toContain(`${named()}/w/`);
  expect((await place.run(["status"])).code).toBe(0);
});

test("O2 O16 a wrong password is said at once, with the proxy's name and without the password", async () => {
  await using proxy = await ConnectProxy.start(tls.port, { credentials: "ann:right" });
  await using place = placeWith({ HTTPS_PROXY: proxy.url("ann:wr0ngpass"), ...trusting() });
  const { code, stderr } = await place.run(["--json", "--relay", named()]);
  expect(code).toBe(5);
  expect(stderr).toContain(
    `the proxy ${proxy.url()} asks for a user name and password, or refused yours (407)`,
  );
  expect(stderr).toContain("HTTPS_PROXY=http://user:password@host:port");
  expect(stderr).not.toContain("wr0ngpass");
});

test("O2 a proxy of another kind is refused with what to write", async () => {
  await using place = placeWith({ ALL_PROXY: "socks5://ann:secret@127.0.0.1:1080" });
  const { code, stderr } = await place.ask(["--json", "--relay", named()]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("socks5://127.0.0.1:1080")]);
  expect(stderr).not.toContain("secret");
});

test("O17 an unknown authority is refused at once with what to set", async () => {
  await using place = placeWith({});
  const { code, stderr } = await place.ask(["--json", "--relay", `https://127.0.0.1:${tls.port}`]);
  expect(code).toBe(5);
  expect(stderr).toContain("is not signed by a CA this machine trusts");
  expect(stderr).toContain("Set NODE_EXTRA_CA_CERTS (or --ca)");
});

test("O3 a file for --ca without a certificate, or none at all, is a mistake in the call", async () => {
  await using place = placeWith({});
  const empty = join(place.root, "empty.pem");
  writeFileSync(empty, "nothing\n");
  for (const file of [empty, join(place.root, "none.pem")]) {
    const { code, stderr } = await place.ask(["--json", "--relay", named(), "--ca", file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`--ca: ${file}`)]);
  }
});

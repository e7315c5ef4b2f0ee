// The link through proxies and under TLS: which way it goes, whom it trusts, what it says when it
// cannot go on.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProxyRules } from "../support/connect-proxy.ts";
import { ConnectProxy } from "../support/connect-proxy.ts";
import { Place } from "../support/product.ts";
import { TestRelay } from "../support/relay.ts";
import type { Authority } from "../support/tls-pipe.ts";
import { makeAuthority, TlsPipe } from "../support/tls-pipe.ts";

const KEY = "a key of the relay's";
/** Known to the proxies alone. */
const NAME = "relay.example";
/** This machine, but not one of the names that count as such. */
const ELSEWHERE = "127.0.0.2";

let relay: TestRelay;
let authority: Authority;
let tls: TlsPipe;
let far: TlsPipe;

beforeAll(async () => {
  relay = await TestRelay.start({ loopback: false, bindings: { RELAY_KEY: KEY } });
  authority = makeAuthority([NAME, "127.0.0.1", ELSEWHERE]);
  tls = await TlsPipe.start(relay.port, authority);
  far = await TlsPipe.start(relay.port, authority, ELSEWHERE);
});

afterAll(async () => {
  await tls[Symbol.asyncDispose]();
  await far[Symbol.asyncDispose]();
  authority[Symbol.dispose]();
  await relay.stop();
});

/** Without the proxies that this machine may have. */
function placeWith(extra: NodeJS.ProcessEnv): Place {
  const none = Object.fromEntries(
    ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]
      .flatMap((name) => [name, name.toUpperCase()])
      .map((name) => [name, ""]),
  );
  return new Place({ ...none, PAIRPTY_RELAY_KEY: KEY, ...extra });
}

const trusting = () => ({ NODE_EXTRA_CA_CERTS: authority.file });
const named = () => `https://${NAME}:${tls.port}`;

async function refusedBy(rules: ProxyRules, credentials?: string) {
  await using proxy = await ConnectProxy.start(tls.port, rules);
  await using place = placeWith({ HTTPS_PROXY: proxy.url(credentials), ...trusting() });
  const result = await place.run(["--json", "--relay", named()]);
  return { ...result, shown: `http://127.0.0.1:${proxy.port}` };
}

test("O1 the link goes through HTTPS_PROXY with its user and password, and works", async () => {
  await using proxy = await ConnectProxy.start(tls.port, { credentials: "ann:p@ss w" });
  await using place = placeWith({
    https_proxy: proxy.url("ann:p%40ss%20w"),
    ...trusting(),
  });
  const product = await place.start("--relay", named());
  expect(proxy.asked).toEqual([`${NAME}:${tls.port}`]);
  const answer = await relay.ask(`/w/${product.ready.workspace}/health`, {
    token: product.ready.tokens.edit,
  });
  expect(JSON.parse(answer.text)).toMatchObject({ bridge: "ok", ptyHost: "ok" });
  expect(product.ready.relay).toBe(named());
});

test("O1 ALL_PROXY without a scheme serves too, and HTTP_PROXY an unencrypted relay", async () => {
  await using proxy = await ConnectProxy.start(relay.port);
  const bare = `127.0.0.1:${proxy.port}`;
  for (const extra of [{ ALL_PROXY: bare }, { HTTP_PROXY: proxy.url() }]) {
    await using place = placeWith({ ...extra });
    await place.start("--insecure", "--relay", `http://${NAME}`);
  }
  expect(proxy.asked).toEqual([`${NAME}:80`, `${NAME}:80`]);
});

test("O1 NO_PROXY and loopback go round the proxy", async () => {
  await using proxy = await ConnectProxy.start(tls.port);
  const through = { HTTPS_PROXY: proxy.url(), HTTP_PROXY: proxy.url(), ...trusting() };
  await using excepted = placeWith({ ...through, NO_PROXY: `other.example,${ELSEWHERE}` });
  await excepted.start("--relay", `https://${ELSEWHERE}:${far.port}`);
  await using near = placeWith(through);
  await near.start("--relay", `https://127.0.0.1:${tls.port}`);
  expect(proxy.asked).toEqual([]);
  await using other = placeWith(through);
  await other.start("--relay", `https://${ELSEWHERE}:${far.port}`);
  expect(proxy.asked).toEqual([`${ELSEWHERE}:${far.port}`]);
});

test("O2 a wrong password is said at once, with the proxy's name and without the password", async () => {
  const { code, stderr, shown } = await refusedBy({ credentials: "ann:right" }, "ann:wr0ngpass");
  expect(code).toBe(5);
  expect(stderr).toContain(
    `the proxy ${shown} asks for a user name and password, or refused yours (407)`,
  );
  expect(stderr).toContain("HTTPS_PROXY=http://user:password@host:port");
  expect(stderr).not.toContain("wr0ngpass");
});

test("O2 a proxy that does not allow the relay, cannot reach it, or is not there is named", async () => {
  await using nowhere = placeWith({ HTTPS_PROXY: "http://127.0.0.1:9", ...trusting() });
  const [forbidden, away, gone] = await Promise.all([
    refusedBy({ refusal: 403 }),
    refusedBy({ refusal: 502 }),
    nowhere.run(["--json", "--relay", named()]),
  ]);
  expect([forbidden.code, away.code, gone.code]).toEqual([5, 5, 5]);
  const host = `${NAME}:${tls.port}`;
  expect(forbidden.stderr).toContain(
    `the proxy ${forbidden.shown} does not allow connections to ${host} (403)`,
  );
  expect(away.stderr).toContain(`the proxy ${away.shown} could not connect to ${host} (502)`);
  expect(gone.stderr).toContain("the proxy http://127.0.0.1:9 cannot be reached");
  expect(gone.stderr).toContain(`NO_PROXY=${NAME}`);
});

test("O2 a proxy of another kind is refused with what to write", async () => {
  await using place = placeWith({ ALL_PROXY: "socks5://ann:secret@127.0.0.1:1080" });
  const { code, stderr } = await place.run(["--json", "--relay", named()]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("socks5://127.0.0.1:1080")]);
  expect(stderr).not.toContain("secret");
});

test("O3 an unknown authority is refused at once with what to set", async () => {
  await using place = placeWith({});
  const { code, stderr } = await place.run(["--json", "--relay", `https://127.0.0.1:${tls.port}`]);
  expect(code).toBe(5);
  expect(stderr).toContain("is not signed by a CA this machine trusts");
  expect(stderr).toContain("Set NODE_EXTRA_CA_CERTS (or --ca)");
});

test("O3 --ca and SSL_CERT_FILE are trusted as NODE_EXTRA_CA_CERTS is, through a proxy too", async () => {
  const address = `https://127.0.0.1:${tls.port}`;
  await using flag = placeWith({});
  await flag.start("--relay", address, "--ca", authority.file);
  await using system = placeWith({ SSL_CERT_FILE: authority.file });
  await system.start("--relay", address);
  await using proxy = await ConnectProxy.start(tls.port);
  await using through = placeWith({ HTTPS_PROXY: proxy.url(), SSL_CERT_FILE: authority.file });
  await through.start("--relay", named());
  expect(proxy.asked.length).toBe(1);
});

test("O3 a file for --ca without a certificate, or none at all, is a mistake in the call", async () => {
  await using place = placeWith({});
  const empty = join(place.root, "empty.pem");
  writeFileSync(empty, "nothing\n");
  for (const file of [empty, join(place.root, "none.pem")]) {
    const { code, stderr } = await place.run(["--json", "--relay", named(), "--ca", file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`--ca: ${file}`)]);
  }
});

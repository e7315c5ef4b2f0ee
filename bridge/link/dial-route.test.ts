// Dials by every route that the environment may set: through real proxies and TLS, to a relay that
// only accepts connections.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { WebSocketServer } from "ws";
import { createLog } from "../log.ts";
import { parseRelayAddress } from "./relay-address.ts";
import type { DialProblem } from "./dial-problem.ts";
import { RelayLink } from "./relay-link.ts";
import { resolveRoute } from "./dial-route.ts";
import type { ProxyRules } from "../../test/support/connect-proxy.ts";
import { ConnectProxy } from "../../test/support/connect-proxy.ts";
import type { Authority } from "../../test/support/tls-pipe.ts";
import { makeAuthority, TlsPipe } from "../../test/support/tls-pipe.ts";

/** A host name that only the proxies resolve. */
const NAME = "relay.example";
/** This machine, by a name that does not count as loopback. */
const ELSEWHERE = "127.0.0.2";
const CREDENTIALS = { workspace: "room", publicKey: "0".repeat(64), sign: () => "0".repeat(128) };
const log = createLog("silent", () => {});

let relay: WebSocketServer;
let relayPort = 0;
let authority: Authority;
let tls: TlsPipe;
let far: TlsPipe;
beforeAll(async () => {
  relay = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(relay, "listening");
  relayPort = (relay.address() as AddressInfo).port;
  authority = makeAuthority([NAME, "127.0.0.1", ELSEWHERE]);
  tls = await TlsPipe.start(relayPort, authority);
  far = await TlsPipe.start(relayPort, authority, ELSEWHERE);
});
afterAll(async () => {
  await tls[Symbol.asyncDispose]();
  await far[Symbol.asyncDispose]();
  authority[Symbol.dispose]();
  relay.close();
});

/** The environment without this machine's own proxies. */
beforeEach(() => {
  for (const name of ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]) {
    vi.stubEnv(name, "");
    vi.stubEnv(name.toUpperCase(), "");
  }
  vi.stubEnv("SSL_CERT_FILE", "");
});
afterEach(() => void vi.unstubAllEnvs());

const named = () => `https://${NAME}:${tls.port}`;

/** Returns the result of a dial with these variables. */
async function dial(
  url: string,
  variables: Record<string, string>,
  ca?: string,
): Promise<"reached" | DialProblem> {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const address = parseRelayAddress(url, true);
  const route = await resolveRoute(address, process.env, ca, log);
  let resolve: (outcome: "reached" | DialProblem) => void = () => {};
  const promise = new Promise<"reached" | DialProblem>((settle) => {
    resolve = settle;
  });
  const listener = {
    onUp: () => {},
    onFrame: () => {},
    onDown: () => {},
    onRefused: () => {},
    onFailed: resolve,
    hasUnconfirmed: () => false,
  };
  const link = new RelayLink(address, route, CREDENTIALS, "0".repeat(32), listener, log);
  const arrived = () => resolve("reached");
  relay.once("connection", arrived);
  link.start();
  const outcome = await promise;
  relay.off("connection", arrived);
  link.stop();
  return outcome;
}

test("O1 ALL_PROXY without a scheme serves too, and HTTP_PROXY an unencrypted relay", async () => {
  await using proxy = await ConnectProxy.start(relayPort);
  const bare = { ALL_PROXY: `127.0.0.1:${proxy.port}` };
  expect(await dial(`http://${NAME}`, bare)).toBe("reached");
  expect(await dial(`http://${NAME}`, { ALL_PROXY: "", HTTP_PROXY: proxy.url() })).toBe("reached");
  expect(proxy.asked).toEqual([`${NAME}:80`, `${NAME}:80`]);
});

test("O1 NO_PROXY and loopback bypass the proxy", async () => {
  await using proxy = await ConnectProxy.start(tls.port);
  const through = { HTTPS_PROXY: proxy.url(), HTTP_PROXY: proxy.url() };
  const elsewhere = `https://${ELSEWHERE}:${far.port}`;
  const excepted = { ...through, NO_PROXY: `other.example,${ELSEWHERE}` };
  expect(await dial(elsewhere, excepted, authority.file)).toBe("reached");
  const near = `https://127.0.0.1:${tls.port}`;
  expect(await dial(near, { ...through, NO_PROXY: "" }, authority.file)).toBe("reached");
  expect(proxy.asked).toEqual([]);
  expect(await dial(elsewhere, through, authority.file)).toBe("reached");
  expect(proxy.asked).toEqual([`${ELSEWHERE}:${far.port}`]);
});

test("O2 a proxy that does not allow the relay, cannot reach it, or is not there is named", async () => {
  const refusedBy = async (rules: ProxyRules) => {
    await using proxy = await ConnectProxy.start(tls.port, rules);
    return { result: await dial(named(), { HTTPS_PROXY: proxy.url() }), shown: proxy.url() };
  };
  const host = `${NAME}:${tls.port}`;
  const forbidden = await refusedBy({ refusal: 403 });
  expect(forbidden.result).toMatchObject({
    reason: `the proxy ${forbidden.shown} does not allow connections to ${host} (403)`,
    isPermanent: true,
  });
  const away = await refusedBy({ refusal: 502 });
  expect(away.result).toMatchObject({
    reason: `the proxy ${away.shown} could not connect to ${host} (502)`,
    isPermanent: false,
  });
  const gone = await dial(named(), { HTTPS_PROXY: "http://127.0.0.1:9" });
  expect(gone).toMatchObject({
    reason: expect.stringContaining("the proxy http://127.0.0.1:9 cannot be reached"),
    hint: expect.stringContaining(`NO_PROXY=${NAME}`),
  });
});

test("O3 O17 --ca and SSL_CERT_FILE are trusted, through a proxy too; others are not", async () => {
  const address = `https://127.0.0.1:${tls.port}`;
  expect(await dial(address, {})).toMatchObject({
    reason: expect.stringContaining("is not signed by a CA this machine trusts"),
    isPermanent: true,
  });
  expect(await dial(address, {}, authority.file)).toBe("reached");
  expect(await dial(address, { SSL_CERT_FILE: authority.file })).toBe("reached");
  await using proxy = await ConnectProxy.start(tls.port);
  expect(await dial(named(), { HTTPS_PROXY: proxy.url() })).toBe("reached");
  expect(proxy.asked).toEqual([`${NAME}:${tls.port}`]);
});

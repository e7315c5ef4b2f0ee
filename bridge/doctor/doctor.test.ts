// The doctor's pure judgements.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { loadConfiguration } from "../config/load-configuration.ts";
import { parseRelayAddress } from "../link/relay-address.ts";
import { Identity } from "../workspace/identity.ts";
import { checkAuthorities, judgeClock, checkProxy, checkLink } from "./checks/network.ts";
import {
  checkBrowser,
  judgeSpace,
  checkNode,
  judgeGlibc,
  judgeOpenFiles,
  checkFolders,
  checkConfig,
} from "./checks/machine.ts";
import { checkPort } from "./checks/relay.ts";
import { checkEncryption } from "./checks/encryption.ts";
import type { Status } from "../doors/control/control-requests.ts";
import type { DoctorFacts } from "./doctor-facts.ts";
import { ok, runCheck } from "./finding.ts";
import { wrapText } from "../cli/output/format-text.ts";

const getStatus = ({ status }: { status: string }) => status;

test("O23 an old Node fails; an old or other C library warns, for the link works without a relay here", () => {
  expect(["18.20.0", "20.18.9", "20.19.0", "24.1.0"].map((v) => getStatus(checkNode(v)))).toEqual([
    "fail",
    "fail",
    "ok",
    "ok",
  ]);
  const glibc = (version?: string) => getStatus(judgeGlibc("linux", version));
  expect([glibc("2.35"), glibc("2.40"), glibc("3.0"), glibc("2.31"), glibc()]).toEqual([
    "ok",
    "ok",
    "ok",
    "warn",
    "warn",
  ]);
});

test("R97 few file descriptors warn, with the limit and what raises it", () => {
  expect(judgeOpenFiles("linux", 1_024)).toMatchObject({
    status: "warn",
    message: expect.stringContaining("1024 files and connections"),
    cure: expect.stringContaining("LimitNOFILE"),
  });
  expect([8_192, 65_536, undefined].map((limit) => judgeOpenFiles("linux", limit).status)).toEqual([
    "ok",
    "ok",
    "ok",
  ]);
});

test("O10 space and clock are judged by what matters", () => {
  expect([5e6, 5e7, 5e9].map((free) => getStatus(judgeSpace(free)))).toEqual([
    "fail",
    "warn",
    "ok",
  ]);
  const now = Date.parse("2026-06-01");
  const skewed = judgeClock({ relay: now - 3_600_000, here: now }, now);
  expect([skewed.status, skewed.message]).toEqual(["warn", "3600.0 s ahead of the relay's clock"]);
  expect(judgeClock({ relay: now + 60_000, here: now }, now).message).toContain("behind");
  expect(getStatus(judgeClock({ relay: now + 900, here: now }, now))).toBe("ok");
  expect(getStatus(judgeClock(undefined, now))).toBe("ok");
  expect(getStatus(judgeClock(undefined, 0))).toBe("warn");
});

/** Returns the facts of an empty folder in this environment, without the developer's own settings. */
function factsIn(state: string, environment: NodeJS.ProcessEnv, relay?: string): DoctorFacts {
  writeFileSync(join(state, "config.json"), "{}");
  const own = { PAIRPTY_CONFIG: join(state, "config.json"), ...environment };
  return {
    folders: { folder: state, state, runtime: state },
    configuration: loadConfiguration({ flags: {}, environment: own, cwd: state }),
    relay: relay === undefined ? undefined : parseRelayAddress(relay, false),
    bridge: Promise.resolve(undefined),
    environment: own,
  };
}

function emptyFolder(): string {
  const state = mkdtempSync(join(tmpdir(), "pp-doctor-"));
  onTestFinished(() => rmSync(state, { recursive: true }));
  return state;
}

test("O10 a proxy that cannot be reached fails with its cure; no password is shown, and a missing file of certificates warns", async () => {
  const state = emptyFolder();
  const environment = {
    HTTPS_PROXY: "http://ann:hunter22@127.0.0.1:9",
    SSL_CERT_FILE: join(state, "none.pem"),
  };
  // The proxy library reads exceptions from the process's own environment.
  const none = { https_proxy: "", all_proxy: "", no_proxy: "", NO_PROXY: "" };
  for (const [name, value] of Object.entries({ ...none, ...environment })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const facts = factsIn(state, environment, "https://relay.example");
  const link = await checkLink(facts);
  expect(link).toMatchObject({
    status: "fail",
    message: expect.stringContaining("the proxy http://127.0.0.1:9 cannot be reached"),
    cure: expect.stringContaining("NO_PROXY=relay.example"),
  });
  const proxy = await checkProxy(facts);
  expect(proxy.message).toBe("http://127.0.0.1:9 to https://relay.example");
  const authorities = checkAuthorities(facts);
  expect(authorities).toMatchObject({ status: "warn", cure: expect.stringMatching(/\S/) });
  const config = checkConfig(facts);
  expect(JSON.stringify([link, proxy, authorities, config])).not.toContain("hunter22");
});

test("O10 C29 folders that cannot be made fail with what stands in the way", () => {
  const facts = { ...factsIn(emptyFolder(), {}), folders: "/proc/x cannot be created: no" };
  expect(checkFolders(facts)).toMatchObject({
    status: "fail",
    message: "/proc/x cannot be created: no",
    cure: expect.stringContaining("XDG_STATE_HOME"),
  });
});

test("O10 the folder's port is told as free, in other hands, or asked for and in other hands", async () => {
  const state = emptyFolder();
  const at = async (port?: number) =>
    await checkPort(factsIn(state, port === undefined ? {} : { PAIRPTY_PORT: String(port) }));
  expect(await at()).toMatchObject({ status: "ok", message: expect.stringContaining("none yet") });
  const other = createServer();
  await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", () => resolve()));
  const { port } = other.address() as AddressInfo;
  Identity.open(state, { fresh: false }).port = port;
  const words = `${port} is in use by another program`;
  expect(await at()).toMatchObject({ status: "warn", message: words });
  expect(await at(port)).toMatchObject({ status: "fail", message: words });
  await new Promise((resolve) => void other.close(resolve));
  expect(await at()).toMatchObject({ status: "ok", message: `${port} is free` });
  expect(await at(0)).toMatchObject({ status: "ok" });
});

test("O10 a browser needs a display, but for systems that have their own way", () => {
  const at = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform = "linux") =>
    getStatus(checkBrowser(environment, platform));
  expect([at({}), at({ DISPLAY: ":0" }), at({ WAYLAND_DISPLAY: "w" }), at({}, "darwin")]).toEqual([
    "warn",
    "ok",
    "ok",
    "ok",
  ]);
  expect(checkBrowser({ SSH_CONNECTION: "x" }, "linux").cure).toContain("ssh -L");
});

test("O11 a check that hangs or throws has failed, with a cure, and holds no one up", async () => {
  const hung = await runCheck("a", 20, () => new Promise(() => {}));
  expect(hung).toMatchObject({ check: "a", status: "fail", cure: expect.any(String) });
  const thrown = await runCheck("b", 1_000, () => {
    throw new Error("oh");
  });
  expect(thrown).toMatchObject({ status: "fail", message: "oh", cure: expect.any(String) });
  expect(await runCheck("c", 1_000, () => ok("fine"))).toMatchObject({ status: "ok" });
});

test("O9 rows are broken between words, and a path stays whole", () => {
  expect(wrapText("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrapText("see /a/very/long/path now", 8)).toEqual(["see", "/a/very/long/path", "now"]);
  expect(wrapText("of its own:\nlines stay", 80)).toEqual(["of its own:", "lines stay"]);
  expect(wrapText("as it is", Number.POSITIVE_INFINITY)).toEqual(["as it is"]);
});

test("SE63 doctor says what is end-to-end encrypted: of the running bridge, else by the settings", async () => {
  const message = async (environment: NodeJS.ProcessEnv, running?: Partial<Status>) => {
    const facts = factsIn(emptyFolder(), environment);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the check reads
    const bridge = Promise.resolve(running as Status | undefined);
    const finding = await checkEncryption({ ...facts, bridge });
    expect(finding.status).toBe("ok");
    return finding.message;
  };
  const PAIRPTY_RELAY = "https://relay.example.com";
  expect(await message({ PAIRPTY_E2E: "auto" })).toBe(
    "off; the relay is on this machine (e2e is auto)",
  );
  expect(await message({ PAIRPTY_E2E: "auto", PAIRPTY_RELAY })).toBe(
    "end-to-end encrypted (e2e is auto)",
  );
  expect(await message({ PAIRPTY_E2E: "off", PAIRPTY_RELAY })).toBe(
    "off: readable by the relay (e2e is off)",
  );
  expect(await message({}, { e2e: true, readable: { people: 0, agents: 2 } })).toBe(
    "end-to-end encrypted; readable by the relay: 2 agent tokens",
  );
});

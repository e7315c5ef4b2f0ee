// `pairpty deploy` with the real wrangler, against a stand-in of Cloudflare's API on loopback.

import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeCloudflare } from "../support/fake-cloudflare.ts";
import { CLI, Place } from "../support/product.ts";

const WRANGLER = join(import.meta.dirname, "../../node_modules/.bin/wrangler");
const ORIGIN = "https://my-relay.test-account.workers.dev";

let cloud: FakeCloudflare;
let place: Place;
beforeAll(async () => {
  cloud = await FakeCloudflare.start();
  place = new Place(cloud.environment);
  // In npx's place: the pinned version, without the registry.
  const bin = join(place.root, "bin");
  mkdirSync(bin);
  const pinned = '[ "$1 $2" = "--yes wrangler@4.86.0" ] || exit 9';
  // A dry run of the real one is in self-hosting.test.ts, and costs as much as a deployment; so does
  // an upgrade, which is the same call: where `noted` is a folder, it and its secrets are noted there.
  const dry = `case "$*" in *--dry-run*) echo "$*" > '${place.root}/dry-run'; exit 0;; esac`;
  const noted = `if [ -d '${notes()}' ]; then cd '${notes()}'; echo "$*" > call; for last; do :; done; cp "$last" secrets; exit 0; fi`;
  const npx = `#!/bin/sh\n${pinned}\nshift 2\n${dry}\n${noted}\nexec '${WRANGLER}' "$@"\n`;
  writeFileSync(join(bin, "npx"), npx);
  chmodSync(join(bin, "npx"), 0o755);
  place.environment["PATH"] = `${bin}:${process.env["PATH"]}`;
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
  await cloud[Symbol.asyncDispose]();
});

const deploy = (args: string[], extra: NodeJS.ProcessEnv = {}) =>
  place.runFrom(CLI, ["deploy", "--name", "my-relay", ...args], extra);
/** What starts no real wrangler needs no process of its own. */
const asked = (args: string[], extra: NodeJS.ProcessEnv = {}) =>
  place.ask(["deploy", "--name", "my-relay", ...args], extra);
const notes = () => join(place.root, "noted");
const kept = (name: string) =>
  JSON.parse(readFileSync(join(place.root, "config", "pairpty", name), "utf8"));
const uploads = () => cloud.asked.filter((one) => /^(PUT|POST) .*(scripts|assets)/.test(one));

test("TU21 what is missing is told before anything is uploaded", async () => {
  const none = await asked([], { CLOUDFLARE_API_TOKEN: "" });
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("Edit Cloudflare Workers")]);
  const bad = await asked([], { CLOUDFLARE_API_TOKEN: "bad" });
  expect([bad.code, bad.stderr]).toEqual([4, expect.stringContaining("Authentication error")]);
  const { accounts, subdomain } = cloud;
  cloud.accounts = [];
  expect((await asked([])).stderr).toContain("this token sees no account");
  cloud.accounts = [...accounts, { id: "other", name: "Other" }];
  expect((await asked([])).stderr).toContain("CLOUDFLARE_ACCOUNT_ID");
  cloud.accounts = accounts;
  cloud.subdomain = null;
  expect((await asked([])).stderr).toContain("no workers.dev name");
  cloud.subdomain = subdomain;
  expect((await asked(["--name", "No!"])).stderr).toContain("not a Worker's name");
  expect(uploads()).toEqual([]);
});

test("TU20 TU22 TU43 TU44 deployed with a key in the same step, kept for the next start, upgraded, removed", async () => {
  const first = await deploy([]);
  expect([first.code, first.stdout.trim()], first.stderr).toEqual([0, ORIGIN]);
  const { key } = kept("relays.json")[ORIGIN];
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(cloud.upload).toContain(key);
  expect(cloud.upload).toContain("WorkspaceRoom");
  expect(kept("config.json").relay).toBe(ORIGIN);
  for (const name of ["relays.json", "config.json"]) {
    expect(statSync(join(place.root, "config", "pairpty", name)).mode & 0o077).toBe(0);
  }
  expect(first.stdout + first.stderr).not.toContain(key);
  mkdirSync(notes());
  const again = await asked(["--json"]);
  expect(JSON.parse(again.stdout)).toEqual({ relay: ORIGIN, name: "my-relay", upgraded: true });
  expect(readFileSync(join(notes(), "call"), "utf8")).toMatch(/^deploy .*--secrets-file \S+\n$/);
  const secrets = readFileSync(join(notes(), "secrets"), "utf8");
  expect(JSON.parse(secrets), "an upgrade sends the key it had").toEqual({ RELAY_KEY: key });
  rmSync(notes(), { recursive: true });
  expect(kept("relays.json")[ORIGIN].key).toBe(key);
  const removed = await deploy(["--remove"]);
  expect(removed.code, removed.stderr).toBe(0);
  expect(cloud.isDeployed).toBe(false);
  expect(kept("relays.json")).toEqual({});
  expect(kept("config.json")).toEqual({});
  cloud.isDeployed = true;
  expect((await asked([])).stderr).toContain("its key is not stored here");
});

test("TU42 a dry run is wrangler's, needs no token and uploads nothing", async () => {
  const before = uploads().length;
  const { code, stderr } = await asked(["--dry-run"], { CLOUDFLARE_API_TOKEN: "" });
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("Nothing was uploaded");
  expect(readFileSync(join(place.root, "dry-run"), "utf8")).toMatch(/^deploy .*--dry-run/);
  expect(uploads()).toHaveLength(before);
});

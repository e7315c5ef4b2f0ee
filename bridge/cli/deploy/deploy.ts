// Owns `pairpty deploy`: uploads the packaged relay to the user's Cloudflare account with a pinned
// wrangler from npx; stores address and key, upgrades, removes.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtFile } from "../../build-info.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from "../../workerd/workerd-config.ts";
import { printJson, printLine, printNote } from "../output/output.ts";
import type { DeployTarget } from "./cloudflare-api.ts";
import { findTarget, isDeployed } from "./cloudflare-api.ts";
import { assertStorable, forgetRelay, storeRelay, findStoredKey } from "./stored-relays.ts";

/** Not a dependency: it would double pairpty's size for a rarely used command. */
const WRANGLER = "wrangler@4.86.0";
const KEY_BYTES = 32;
const NAME_PATTERN = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/;

export interface DeployFlags {
  readonly name: string;
  readonly dryRun?: boolean;
  readonly remove?: boolean;
  readonly json?: boolean;
}

export async function deploy(flags: DeployFlags): Promise<void> {
  const { name } = flags;
  if (!NAME_PATTERN.test(name)) {
    throw new UserError(
      `"${name}" is not a Worker's name`,
      ExitCode.usage,
      "Use up to 63 lower-case letters, digits and inner hyphens.",
    );
  }
  const environment = process.env;
  if (flags.dryRun === true) return await dryRun(name);
  const target = await findTarget(environment);
  const origin = `https://${name}.${target.subdomain}.workers.dev`;
  assertStorable();
  const exists = await isDeployed(target, name, environment);
  if (flags.remove === true) return await remove(flags, target, origin, exists);
  const storedKey = findStoredKey(origin) ?? environment["PAIRPTY_RELAY_KEY"];
  if (exists && storedKey === undefined) {
    throw new UserError(
      `a Worker ${name} exists already, and its key is not stored here`,
      ExitCode.usage,
      "Set PAIRPTY_RELAY_KEY to its RELAY_KEY to upgrade it, or choose another --name.",
    );
  }
  const key = storedKey ?? randomBytes(KEY_BYTES).toString("hex");
  await withTemporaryFolder(async (folder) => {
    const secrets = join(folder, "secrets.json");
    writeFileSync(secrets, JSON.stringify({ RELAY_KEY: key }), { mode: 0o600 });
    // The key goes with the same deploy, so that the relay never runs without one.
    const args = ["deploy", "--config", writeConfig(folder, name), "--no-bundle"];
    await runWrangler([...args, "--secrets-file", secrets], target);
  });
  storeRelay(origin, name, key);
  if (flags.json === true) return printJson({ relay: origin, name, upgraded: exists });
  printLine(origin);
  const what = exists ? "upgraded, with the key it had" : "deployed, with a new key";
  return printNote(
    `  ${what}. Its address and key are in your config folder; pairpty now uses this relay.`,
  );
}

async function dryRun(name: string): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const args = ["deploy", "--config", writeConfig(folder, name), "--no-bundle", "--dry-run"];
    await runWrangler(args, undefined);
  });
  printNote("  Nothing was uploaded.");
}

async function remove(
  { name, json }: DeployFlags,
  target: DeployTarget,
  origin: string,
  exists: boolean,
): Promise<void> {
  if (exists) {
    await withTemporaryFolder((folder) =>
      runWrangler(["delete", "--config", writeConfig(folder, name), "--force"], target),
    );
  }
  forgetRelay(origin);
  if (json === true) return printJson({ removed: exists, relay: origin });
  return printNote(exists ? `  Removed ${origin} and its key.` : `  ${origin} does not exist.`);
}

/** Returns the same configuration as wrangler.toml, with the package's files. */
export function workerConfig(name: string): object {
  return {
    name,
    main: builtFile("..", "relay", "worker.js"),
    compatibility_date: COMPATIBILITY_DATE,
    compatibility_flags: COMPATIBILITY_FLAGS,
    workers_dev: true,
    preview_urls: false,
    send_metrics: false,
    assets: { directory: builtFile("..", "web"), binding: "ASSETS", run_worker_first: true },
    durable_objects: { bindings: [{ name: "WORKSPACE", class_name: "WorkspaceRoom" }] },
    migrations: [{ tag: "v1", new_sqlite_classes: ["WorkspaceRoom"] }],
    observability: { enabled: true, logs: { invocation_logs: false } },
  };
}

function writeConfig(folder: string, name: string): string {
  const path = join(folder, "wrangler.json");
  writeFileSync(path, JSON.stringify(workerConfig(name), null, 2), { mode: 0o600 });
  return path;
}

async function withTemporaryFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pairpty-deploy-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs wrangler with its output on stderr: stdout is for the address. */
async function runWrangler(
  args: readonly string[],
  target: DeployTarget | undefined,
): Promise<void> {
  const account = target === undefined ? {} : { CLOUDFLARE_ACCOUNT_ID: target.account };
  const child = spawn("npx", ["--yes", WRANGLER, ...args], {
    // No telemetry, and no prompt, which would wait forever.
    env: { ...process.env, ...account, WRANGLER_SEND_METRICS: "false", CI: "1" },
    stdio: ["ignore", 2, 2],
  });
  const code = await new Promise<number | string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (exit, signal) => resolve(signal ?? exit ?? 1));
  });
  if (code === 0) return;
  throw new UserError(
    `wrangler exited with ${code}`,
    ExitCode.unavailable,
    "Its output is above. pairpty stored nothing.",
  );
}

// Owns `pairpty deploy`: uploads the packaged relay to the user's Cloudflare account with a pinned
// wrangler from npx; stores address and key, upgrades, removes.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtFile } from "../../built-file.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from "../../workerd/config.ts";
import { printJson, printLine, say } from "../output/output.ts";
import type { Target } from "./cloudflare.ts";
import { findTarget, isDeployed } from "./cloudflare.ts";
import { assertKeepable, forgetRelay, keepRelay, keptKey } from "./kept-relays.ts";

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
  assertKeepable();
  const isThere = await isDeployed(target, name, environment);
  if (flags.remove === true) return await remove(flags, target, origin, isThere);
  const kept = keptKey(origin) ?? environment["PAIRPTY_RELAY_KEY"];
  if (isThere && kept === undefined) {
    throw new UserError(
      `a Worker ${name} exists already, and its key is not stored here`,
      ExitCode.usage,
      "Set PAIRPTY_RELAY_KEY to its RELAY_KEY to upgrade it, or choose another --name.",
    );
  }
  const key = kept ?? randomBytes(KEY_BYTES).toString("hex");
  await inFolder(async (folder) => {
    const secrets = join(folder, "secrets.json");
    writeFileSync(secrets, JSON.stringify({ RELAY_KEY: key }), { mode: 0o600 });
    // The key goes with the same deploy, so that the relay never runs without one.
    const args = ["deploy", "--config", configIn(folder, name), "--no-bundle"];
    await wrangler([...args, "--secrets-file", secrets], target);
  });
  keepRelay(origin, name, key);
  if (flags.json === true) return printJson({ relay: origin, name, upgraded: isThere });
  printLine(origin);
  const what = isThere ? "upgraded, with the key it had" : "deployed, with a new key";
  return say(
    `  ${what}. Its address and key are in your config folder; pairpty now uses this relay.`,
  );
}

async function dryRun(name: string): Promise<void> {
  await inFolder(async (folder) => {
    const args = ["deploy", "--config", configIn(folder, name), "--no-bundle", "--dry-run"];
    await wrangler(args, undefined);
  });
  say("  Nothing was uploaded.");
}

async function remove(
  { name, json }: DeployFlags,
  target: Target,
  origin: string,
  isThere: boolean,
): Promise<void> {
  if (isThere) {
    await inFolder((folder) =>
      wrangler(["delete", "--config", configIn(folder, name), "--force"], target),
    );
  }
  forgetRelay(origin);
  if (json === true) return printJson({ removed: isThere, relay: origin });
  return say(isThere ? `  Removed ${origin} and its key.` : `  ${origin} does not exist.`);
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

function configIn(folder: string, name: string): string {
  const path = join(folder, "wrangler.json");
  writeFileSync(path, JSON.stringify(workerConfig(name), null, 2), { mode: 0o600 });
  return path;
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pairpty-deploy-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs wrangler with its output on stderr: stdout is for the address. */
async function wrangler(args: readonly string[], target: Target | undefined): Promise<void> {
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

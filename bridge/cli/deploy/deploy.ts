// Owns `pairpty deploy`: uploads the packaged relay to the user's Cloudflare account with a pinned
// wrangler from npx; stores address and key, upgrades, removes. Queries Cloudflare's API before an
// upload: whether the token is valid, its account, and the account's workers.dev name. Uploads
// nothing.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { builtFile } from "../../build-info.ts";
import { ExitCode, UserError, errorMessage } from "../../errors.ts";
import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from "../../workerd/workerd-config.ts";
import { printJson, printLine, printNote } from "../output/output.ts";
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

const API = "https://api.cloudflare.com/client/v4";
const API_TIMEOUT_MS = 20_000;

const ApiResponse = z.object({
  success: z.boolean(),
  errors: z.optional(z.array(z.object({ code: z.int(), message: z.string() }))),
  result: z.optional(z.unknown()),
});
const Accounts = z.array(z.object({ id: z.string(), name: z.string() }));
const Subdomain = z.object({ subdomain: z.nullable(z.string()) });

export interface DeployTarget {
  readonly token: string;
  readonly account: string;
  /** The name before `.workers.dev`. */
  readonly subdomain: string;
}

interface ApiResult {
  readonly ok: boolean;
  readonly status: number;
  readonly why: string;
  readonly result: unknown;
}

const TOKEN_HINT =
  'Create one from the template "Edit Cloudflare Workers" (https://dash.cloudflare.com/profile/api-tokens), and set CLOUDFLARE_API_TOKEN.';

/** Returns what a deploy needs; throws a user error about what is missing. */
export async function findTarget(environment: NodeJS.ProcessEnv): Promise<DeployTarget> {
  const token = environment["CLOUDFLARE_API_TOKEN"] ?? "";
  if (token === "") {
    throw new UserError("CLOUDFLARE_API_TOKEN is not set", ExitCode.usage, TOKEN_HINT);
  }
  const account =
    environment["CLOUDFLARE_ACCOUNT_ID"] || (await findOnlyAccount(token, environment));
  const reply = await request(token, `/accounts/${account}/workers/subdomain`, environment);
  if (!reply.ok && reply.status !== 404) throw toApiError(reply);
  const parsed = Subdomain.safeParse(reply.result);
  const subdomain = parsed.success ? parsed.data.subdomain : null;
  if (subdomain === null || subdomain === "") {
    throw new UserError(
      "this account has no workers.dev name yet",
      ExitCode.usage,
      `Choose a name: https://dash.cloudflare.com/${account}/workers/onboarding`,
    );
  }
  return { token, account, subdomain };
}

/** Whether a Worker of this name exists. */
export async function isDeployed(
  { token, account }: DeployTarget,
  name: string,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  const reply = await request(token, `/accounts/${account}/workers/services/${name}`, environment);
  if (reply.ok) return true;
  if (reply.status === 404) return false;
  throw toApiError(reply);
}

async function findOnlyAccount(token: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const reply = await request(token, "/accounts", environment);
  if (!reply.ok) throw toApiError(reply);
  const parsed = Accounts.safeParse(reply.result);
  const accounts = parsed.success ? parsed.data : [];
  const [first, second] = accounts;
  if (first !== undefined && second === undefined) return first.id;
  const list = accounts.map(({ id, name }) => `${id} (${name})`).join(", ");
  throw new UserError(
    first === undefined
      ? "this token sees no account"
      : `this token sees ${accounts.length} accounts: ${list}`,
    ExitCode.usage,
    "Set CLOUDFLARE_ACCOUNT_ID to the one to use.",
  );
}

async function request(
  token: string,
  path: string,
  environment: NodeJS.ProcessEnv,
): Promise<ApiResult> {
  const base = environment["CLOUDFLARE_API_BASE_URL"] || API;
  try {
    const response = await fetch(`${base}${path}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(API_TIMEOUT_MS),
    });
    const parsed = ApiResponse.safeParse(await response.json());
    const { success, errors, result } = parsed.success ? parsed.data : { success: false };
    const why = errors?.map(({ code, message }) => `${message} (${code})`).join(", ");
    const { ok, status } = response;
    return { ok: ok && success, status, why: why || `HTTP ${status}`, result };
  } catch (error) {
    throw new UserError(
      `Cloudflare's API cannot be reached: ${errorMessage(error)}`,
      ExitCode.unavailable,
    );
  }
}

function toApiError({ status, why }: ApiResult): UserError {
  const isToken = status === 400 || status === 401 || status === 403;
  return new UserError(
    `Cloudflare refused: ${why}`,
    isToken ? ExitCode.refused : ExitCode.unavailable,
    isToken ? `The token lacks the rights for this. ${TOKEN_HINT}` : "Try again later.",
  );
}

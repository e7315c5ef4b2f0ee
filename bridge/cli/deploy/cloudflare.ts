// Queries Cloudflare's API before an upload: whether the token is valid, its account, and the account's
// workers.dev name. Uploads nothing.

import * as z from "zod/mini";
import { ExitCode, messageOf, UserError } from "../../errors.ts";

const API = "https://api.cloudflare.com/client/v4";
const ANSWER_MS = 20_000;

const Answer = z.object({
  success: z.boolean(),
  errors: z.optional(z.array(z.object({ code: z.int(), message: z.string() }))),
  result: z.optional(z.unknown()),
});
const Accounts = z.array(z.object({ id: z.string(), name: z.string() }));
const Subdomain = z.object({ subdomain: z.nullable(z.string()) });

export interface Target {
  readonly token: string;
  readonly account: string;
  /** The name before `.workers.dev`. */
  readonly subdomain: string;
}

interface Told {
  readonly ok: boolean;
  readonly status: number;
  readonly why: string;
  readonly result: unknown;
}

const MAKE_TOKEN =
  'Create one from the template "Edit Cloudflare Workers" (https://dash.cloudflare.com/profile/api-tokens), and set CLOUDFLARE_API_TOKEN.';

/** Returns what a deploy needs; throws a user error about what is missing. */
export async function findTarget(environment: NodeJS.ProcessEnv): Promise<Target> {
  const token = environment["CLOUDFLARE_API_TOKEN"] ?? "";
  if (token === "") {
    throw new UserError("CLOUDFLARE_API_TOKEN is not set", ExitCode.usage, MAKE_TOKEN);
  }
  const account = environment["CLOUDFLARE_ACCOUNT_ID"] || (await onlyAccount(token, environment));
  const told = await ask(token, `/accounts/${account}/workers/subdomain`, environment);
  if (!told.ok && told.status !== 404) throw refused(told);
  const parsed = Subdomain.safeParse(told.result);
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
  { token, account }: Target,
  name: string,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  const told = await ask(token, `/accounts/${account}/workers/services/${name}`, environment);
  if (told.ok) return true;
  if (told.status === 404) return false;
  throw refused(told);
}

async function onlyAccount(token: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const told = await ask(token, "/accounts", environment);
  if (!told.ok) throw refused(told);
  const parsed = Accounts.safeParse(told.result);
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

async function ask(token: string, path: string, environment: NodeJS.ProcessEnv): Promise<Told> {
  const base = environment["CLOUDFLARE_API_BASE_URL"] || API;
  try {
    const response = await fetch(`${base}${path}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const parsed = Answer.safeParse(await response.json());
    const { success, errors, result } = parsed.success ? parsed.data : { success: false };
    const why = errors?.map(({ code, message }) => `${message} (${code})`).join(", ");
    const { ok, status } = response;
    return { ok: ok && success, status, why: why || `HTTP ${status}`, result };
  } catch (error) {
    throw new UserError(
      `Cloudflare's API cannot be reached: ${messageOf(error)}`,
      ExitCode.unavailable,
    );
  }
}

function refused({ status, why }: Told): UserError {
  const isToken = status === 400 || status === 401 || status === 403;
  return new UserError(
    `Cloudflare refused: ${why}`,
    isToken ? ExitCode.refused : ExitCode.unavailable,
    isToken ? `The token lacks the rights for this. ${MAKE_TOKEN}` : "Try again later.",
  );
}

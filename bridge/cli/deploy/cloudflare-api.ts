// Queries Cloudflare's API before an upload: whether the token is valid, its account, and the account's
// workers.dev name. Uploads nothing.

import * as z from "zod/mini";
import { ExitCode, errorMessage, UserError } from "../../errors.ts";

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

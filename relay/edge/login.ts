// Owns the answers to MCP clients that try to log in (OAuth). There is no login: agents use a token
// made by `pairpty connect`, so every such answer names that command. Decides no rights.

import * as z from "zod/mini";
import type { ErrorBody } from "../../protocol/codes.ts";
import { ErrorCode } from "../../protocol/codes.ts";
import { parseText } from "../../protocol/json.ts";
import { NO_TOKEN_MESSAGE, refuse } from "./error-responses.ts";

export const NO_LOGIN_MESSAGE =
  "This server has no login (OAuth). Run `pairpty connect` on the host, and use the configuration that it prints for your program.";

/** The body that OAuth clients show: `error` is an OAuth code, `error_description` the message. */
type LoginErrorBody = ErrorBody & { readonly error_description: string };

const ErrorAnswer = z.object({ error: z.string() });

/**
 * Answers requests for OAuth's metadata and endpoints. With any status but 404, clients assume that
 * the server has a login and is broken. With any error but `access_denied`, they try again.
 */
export function refuseLogin(): Response {
  const body: LoginErrorBody = {
    code: "not_found",
    error: "access_denied",
    error_description: NO_LOGIN_MESSAGE,
  };
  const response = Response.json(body, { status: ErrorCode.not_found });
  response.headers.set("cache-control", "no-store");
  return response;
}

/** Whether a path inside a workspace is the one that MCP clients call. */
export function isMcpPath(path: string): boolean {
  return path === "/mcp";
}

/** Adds instructions to an MCP client's 401; other answers pass unchanged. */
export async function withLoginHint(answer: Response): Promise<Response> {
  if (answer.status !== ErrorCode.unauthorized) return answer;
  const parsed = parseText(ErrorAnswer, await answer.text());
  const error = `${parsed.ok ? parsed.value.error : NO_TOKEN_MESSAGE} ${NO_LOGIN_MESSAGE}`;
  const hinted = refuse("unauthorized", error);
  hinted.headers.set(
    "www-authenticate",
    `Bearer error="invalid_token", error_description="${toQuotable(error)}"`,
  );
  return hinted;
}

/**
 * Replaces characters that RFC 6750, section 3 does not allow: all but printable ASCII without
 * quotes and backslashes.
 */
function toQuotable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]|["\\]/g, "'");
}

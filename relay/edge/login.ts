// Owns the answers to MCP clients that try to log in (OAuth). There is no login: an agent has a token
// that `pairpty connect` made, so every such answer names that command. Decides nothing about rights.

import * as z from "zod/mini";
import type { ErrorBody } from "../../protocol/codes.ts";
import { ErrorCode } from "../../protocol/codes.ts";
import { parseText } from "../../protocol/json.ts";
import { NO_TOKEN_SENTENCE, refuse } from "./answers.ts";

export const NO_LOGIN_SENTENCE =
  "This server has no login (OAuth). Run `pairpty connect` on the host, and use the configuration that it prints for your program.";

/** What OAuth clients show: `error` is a code of theirs, `error_description` the message. */
type LoginErrorBody = ErrorBody & { readonly error_description: string };

const Said = z.object({ error: z.string() });

/**
 * Answers requests for OAuth's metadata and endpoints. 404: clients take any other answer to a request
 * for metadata for a server that has a login and is broken. `access_denied`: clients try again after
 * other codes.
 */
export function refuseLogin(): Response {
  const body: LoginErrorBody = {
    code: "not_found",
    error: "access_denied",
    error_description: NO_LOGIN_SENTENCE,
  };
  const response = Response.json(body, { status: ErrorCode.not_found });
  response.headers.set("cache-control", "no-store");
  return response;
}

/** Whether a path inside a workspace is the one that MCP clients call. */
export function isMcpPath(path: string): boolean {
  return path === "/mcp";
}

/** Adds to an MCP client's 401 what to do; other answers pass unchanged. */
export async function withLoginHint(answer: Response): Promise<Response> {
  if (answer.status !== ErrorCode.unauthorized) return answer;
  const said = parseText(Said, await answer.text());
  const error = `${said.ok ? said.value.error : NO_TOKEN_SENTENCE} ${NO_LOGIN_SENTENCE}`;
  const hinted = refuse("unauthorized", error);
  hinted.headers.set(
    "www-authenticate",
    `Bearer error="invalid_token", error_description="${toQuotable(error)}"`,
  );
  return hinted;
}

/** RFC 6750, 3: printable ASCII without quotes and backslashes. */
function toQuotable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]|["\\]/g, "'");
}

// Owns the JSON answers of the bridge over HTTP: values, and errors with their code. A 405 also
// lists the allowed methods.

import type { ErrorBody } from "../../protocol/codes.ts";
import { ErrorCode } from "../../protocol/codes.ts";

export function jsonResponse(code: number, value: object): Response {
  return Response.json(value, { status: code, headers: { "cache-control": "no-store" } });
}

export function errorResponse(code: ErrorCode, error: string): Response {
  const body: ErrorBody = { code, error };
  return jsonResponse(ErrorCode[code], body);
}

export function methodNotAllowed(...methods: readonly string[]): Response {
  const allow = methods.join(", ");
  const response = errorResponse("method_not_allowed", `This path only supports ${allow}`);
  response.headers.set("allow", allow);
  return response;
}

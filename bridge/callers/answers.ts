// Owns how the bridge answers over HTTP when it answers in JSON: values, and errors with their code
// and, of a method that a path does not take, with those that it does.

import type { ErrorBody } from "../../protocol/codes.ts";
import { ErrorCode } from "../../protocol/codes.ts";

export function jsonResponse(code: number, value: object): Response {
  return Response.json(value, { status: code, headers: { "cache-control": "no-store" } });
}

export function errorResponse(code: ErrorCode, error: string): Response {
  const body: ErrorBody = { code, error };
  return jsonResponse(ErrorCode[code], body);
}

export function onlyTakes(...methods: readonly string[]): Response {
  const allow = methods.join(", ");
  const response = errorResponse("method_not_allowed", `This path takes ${allow} only`);
  response.headers.set("allow", allow);
  return response;
}

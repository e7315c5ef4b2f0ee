// Owns how the bridge answers over HTTP when it answers in JSON: values, and errors with their code.

import type { ErrorBody } from "../../protocol/codes.ts";
import { ErrorCode } from "../../protocol/codes.ts";

export function jsonResponse(code: number, value: object): Response {
  return Response.json(value, { status: code, headers: { "cache-control": "no-store" } });
}

export function errorResponse(code: ErrorCode, error: string): Response {
  const body: ErrorBody = { code, error };
  return jsonResponse(ErrorCode[code], body);
}

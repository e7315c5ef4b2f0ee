// Owns files from the page over HTTP: the size limit, and uploads (`POST /files?name=…`), whose
// body is the file. bridge/files/ decides folder and name.

import * as z from "zod/mini";
import type { FilesAnswer, FileTaken } from "../../../protocol/files.ts";
import { parseValue } from "../../../protocol/json.ts";
import type { AuditLog } from "../../audit/log.ts";
import { errorResponse, jsonResponse, onlyTakes } from "../../callers/answers.ts";
import type { Caller } from "../../callers/caller.ts";
import { who } from "../../callers/caller.ts";
import type { Route } from "../../callers/hub.ts";
import type { ReceivedFiles } from "../../files/receiving.ts";
import type { PeopleTerminals } from "../../people/service.ts";

const Wish = z.object({
  name: z.string().check(z.minLength(1), z.maxLength(1_000)),
  size: z.optional(z.coerce.number().check(z.int(), z.nonnegative())),
  /** Terminal onto which the file was dropped; for the audit log. */
  terminal: z.optional(z.string().check(z.maxLength(64))),
});

export interface FileParts {
  readonly files: Pick<ReceivedFiles, "receive" | "mostBytes">;
  readonly people: Pick<PeopleTerminals, "whyNot">;
  readonly audit: Pick<AuditLog, "write">;
}

export function filesRoute(parts: FileParts): Route {
  return {
    path: "/files",
    needs: "change",
    serve: (caller, request) => serve(caller, request, parts),
  };
}

async function serve(caller: Caller, request: Request, parts: FileParts): Promise<Response> {
  if (request.method === "GET") {
    const answer: FilesAnswer = { mostBytes: parts.files.mostBytes };
    return jsonResponse(200, answer);
  }
  if (request.method !== "POST") return onlyTakes("GET", "POST");
  const { searchParams } = new URL(request.url);
  const wish = parseValue(Wish, Object.fromEntries(searchParams));
  if (!wish.ok) return errorResponse("bad_request", `Invalid query: ${wish.error}`);
  return await take(caller, request, wish.value, parts);
}

async function take(
  caller: Caller,
  request: Request,
  { name, size, terminal }: z.infer<typeof Wish>,
  { files, people, audit }: FileParts,
): Promise<Response> {
  const received = await files.receive({
    grant: caller.grantId,
    name,
    size,
    body: request.body ?? nothing(),
    signal: request.signal,
    mayStill: () => people.whyNot(caller, "change") === undefined,
  });
  audit.write({
    event: "file received",
    ...who(caller),
    ...(terminal === undefined ? {} : { terminal }),
    arguments: { name, ...(received.ok ? { bytes: received.size } : {}) },
    outcome: received.ok ? received.path : `refused: ${received.error}`,
  });
  if (!received.ok) return errorResponse(received.code, received.error);
  const { ok: _ok, ...taken } = received;
  return jsonResponse(201, taken satisfies FileTaken);
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // A request without a body is an empty file.
}

// Owns files from the page over HTTP: the size limit, and uploads (`POST /files?name=…`), whose
// body is the file. bridge/files/ decides folder and name.

import * as z from "zod/mini";
import { compact } from "../../../protocol/compact.ts";
import type { FileUploadLimits, FileUploaded } from "../../../protocol/http.ts";
import { parseValue } from "../../../protocol/json.ts";
import { MAX_SEALED_FILE_BYTES } from "../../../protocol/limits.ts";
import type { AuditLog } from "../../audit/audit-log.ts";
import { errorResponse, jsonResponse, methodNotAllowed } from "../../callers/json-response.ts";
import type { Caller } from "../../callers/caller.ts";
import { toAuditName } from "../../callers/caller.ts";
import type { Route } from "../../callers/routes.ts";
import type { FileReceiver } from "../../files/file-receiver.ts";
import type { PeopleTerminals } from "../../people/people-terminals.ts";

const UploadQuery = z.object({
  name: z.string().check(z.minLength(1), z.maxLength(1_000)),
  size: z.optional(z.coerce.number().check(z.int(), z.nonnegative())),
  /** Terminal onto which the file was dropped; for the audit log. */
  terminal: z.optional(z.string().check(z.maxLength(64))),
});

export interface FilesRouteDeps {
  readonly files: Pick<FileReceiver, "receive" | "maxBytes">;
  readonly people: Pick<PeopleTerminals, "denialReason">;
  readonly audit: Pick<AuditLog, "write">;
}

export function filesRoute(deps: FilesRouteDeps): Route {
  return {
    path: "/files",
    requires: "change",
    serve: (caller, request) => serve(caller, request, deps),
  };
}

async function serve(caller: Caller, request: Request, deps: FilesRouteDeps): Promise<Response> {
  if (request.method === "GET") {
    const { maxBytes } = deps.files;
    const isSealed = caller.door.proof === "session";
    const mostBytes = isSealed ? Math.min(maxBytes, MAX_SEALED_FILE_BYTES) : maxBytes;
    const answer: FileUploadLimits = { mostBytes };
    return jsonResponse(200, answer);
  }
  if (request.method !== "POST") return methodNotAllowed("GET", "POST");
  const { searchParams } = new URL(request.url);
  const query = parseValue(UploadQuery, Object.fromEntries(searchParams));
  if (!query.ok) return errorResponse("bad_request", `Invalid query: ${query.error}`);
  return await receiveUpload(caller, request, query.value, deps);
}

async function receiveUpload(
  caller: Caller,
  request: Request,
  { name, size, terminal }: z.infer<typeof UploadQuery>,
  { files, people, audit }: FilesRouteDeps,
): Promise<Response> {
  const received = await files.receive({
    grant: caller.grantId,
    name,
    size,
    body: request.body ?? emptyBody(),
    signal: request.signal,
    isStillAllowed: () => people.denialReason(caller, "change") === undefined,
  });
  audit.write({
    event: "file received",
    ...toAuditName(caller),
    ...compact({ terminal }),
    arguments: { name, ...(received.ok ? { bytes: received.size } : {}) },
    outcome: received.ok ? received.path : `refused: ${received.error}`,
  });
  if (!received.ok) return errorResponse(received.code, received.error);
  const { ok: _ok, ...taken } = received;
  return jsonResponse(201, taken satisfies FileUploaded);
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {
  // A request without a body is an empty file.
}

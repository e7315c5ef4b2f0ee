// Owns recordings over HTTP: the list, downloading one, deleting one. Edit links only.

import { createReadStream, statSync } from "node:fs";
import { errorResponse, jsonResponse, methodNotAllowed } from "../../callers/json-response.ts";
import type { Caller } from "../../callers/caller.ts";
import type { Route } from "../../callers/routes.ts";
import type { Recordings } from "../../recordings/recordings.ts";

type RecordingFiles = Pick<Recordings, "find" | "list" | "remove">;

const PATH = "/recordings";

export function recordingsRoute(recordings: RecordingFiles): Route {
  return {
    path: PATH,
    includesSubpaths: true,
    requires: "change",
    serve: async (caller, request) => serve(caller, request, recordings),
  };
}

function serve(caller: Caller, { url, method }: Request, recordings: RecordingFiles): Response {
  const { pathname } = new URL(url);
  if (pathname === PATH) {
    return method === "GET" ? jsonResponse(200, recordings.list()) : methodNotAllowed("GET");
  }
  const id = pathname.slice(PATH.length + 1);
  const path = recordings.find(id);
  if (path === undefined) return errorResponse("not_found", "There is no such recording");
  if (method === "GET") return streamFile(path, id);
  if (method !== "DELETE") return methodNotAllowed("GET", "DELETE");
  const refused = recordings.remove(caller, id);
  return refused === undefined
    ? new Response(null, { status: 204 })
    : errorResponse(refused.code, refused.error);
}

/** Streams the file as far as it is written now. */
function streamFile(path: string, id: string): Response {
  const end = statSync(path).size - 1;
  const pieces: AsyncIterator<Buffer> = createReadStream(path, { end })[Symbol.asyncIterator]();
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const piece = await pieces.next();
      if (piece.done === true) controller.close();
      else controller.enqueue(piece.value);
    },
    cancel: async () => void (await pieces.return?.()),
  });
  return new Response(stream, {
    headers: {
      "content-type": "application/x-asciicast",
      // Lets the client notice a download that was cut off.
      "content-length": String(end + 1),
      "content-disposition": `attachment; filename="pairpty-${id}.cast"`,
      "cache-control": "no-store",
    },
  });
}

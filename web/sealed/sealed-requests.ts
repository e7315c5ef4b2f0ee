// Owns HTTP requests of a page in a sealed room: seals method, path, headers and body, and opens the
// answer. What the relay sees is one of two paths and the link's ticket. An answer that is not
// sealed counts as none: the relay could have written it.

import type { StreamHead } from "../../protocol/http.ts";
import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { NO_BYTES } from "../../protocol/sealed/bytes.ts";
import {
  EMPTY_STATUSES,
  HTTP_RECORD_BYTES,
  SEALED_PATH,
  SEALED_UPLOAD_PATH,
} from "../../protocol/sealed/http-records.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import type { HttpBodyOpener } from "./http-bodies.ts";
import type { PageSession } from "./page-session.ts";

export interface SealedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: Blob | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the path that the relay sees. */
export function toOuterPath({ body }: Pick<SealedRequest, "body">): string {
  return body !== undefined ? SEALED_UPLOAD_PATH : SEALED_PATH;
}

/** Seals a request; returns what to post, and what opens the answer. */
export async function sealRequest(
  session: Pick<PageSession, "createRequest">,
  { method, path, body, signal }: SealedRequest,
): Promise<{ readonly body: Blob; readonly open: (answer: Response) => Promise<Response> }> {
  const { preface, body: sealer, response } = await session.createRequest();
  const head = toBytes(JSON.stringify({ method, path, headers: [] }));
  const parts: Bytes[] = [preface, await sealer.seal(head, body === undefined)];
  const content = body ?? new Blob();
  for (let at = 0; at < content.size; at += HTTP_RECORD_BYTES) {
    signal?.throwIfAborted();
    // oxlint-disable-next-line no-await-in-loop -- a large file is not read at once
    const slice = await content.slice(at, at + HTTP_RECORD_BYTES).arrayBuffer();
    // oxlint-disable-next-line no-await-in-loop -- records count from 0
    parts.push(await sealer.seal(new Uint8Array(slice), false));
  }
  if (body !== undefined) parts.push(await sealer.seal(NO_BYTES, true));
  return { body: new Blob(parts), open: async (answer) => await openAnswer(answer, response) };
}

async function openAnswer(answer: Response, opener: HttpBodyOpener): Promise<Response> {
  if (answer.status !== 200 || answer.body === null)
    throw new TypeError(`The host did not answer: ${answer.status}`);
  const opened: Bytes[] = [];
  const reader = answer.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    // oxlint-disable-next-line no-await-in-loop -- one piece after the other
    opened.push(...(await opener.push(piece.value)));
  }
  opener.end();
  const [head = NO_BYTES, ...parts] = opened;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the host sealed it
  const { status, headers } = JSON.parse(toText(head)) as StreamHead;
  const content = EMPTY_STATUSES.has(status) ? null : new Blob(parts);
  return new Response(content, { status, headers: headers.map(([name, value]) => [name, value]) });
}

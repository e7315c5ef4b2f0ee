// Owns the heads of tunnelled HTTP. Bodies are opaque bytes in `streamData` frames. Also owns the
// HTTP answers about files that a page sends to the host. Request bodies are the files themselves.
// And the list of recordings over HTTP, `GET /w/:workspace/recordings`. A single one,
// `/recordings/:id`, is an asciicast.

import * as z from "zod/mini";
import { GrantId, Ticket } from "./grant.ts";
import { MAX_FILE_BYTES, MAX_HTTP_BODY } from "./limits.ts";

export interface RecordingRow {
  readonly id: string;
  /** Name of the terminal at that time. */
  readonly title: string;
  /** Unix ms. */
  readonly startedAt: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly running?: true;
}

/** `GET /w/:workspace/files`: the upload limits. */
export interface FileUploadLimits {
  readonly mostBytes: number;
}

/** `POST /w/:workspace/files?name=…&size=…`, 201: name and path of the file on the host. */
export interface FileUploaded {
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

const HeaderList = z
  .array(z.tuple([z.string().check(z.maxLength(200)), z.string().check(z.maxLength(8192))]))
  .check(z.maxLength(64));

export const StreamOpen = z.object({
  method: z.string().check(z.regex(/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/)),
  /** Path below the workspace: `/pty/spawn`, with its query. */
  path: z.string().check(z.startsWith("/"), z.maxLength(2048)),
  headers: HeaderList,
  /** The grant that the room routed it by. A claim: the bridge verifies the ticket. */
  grant: GrantId,
  /** The token of the request, which the bridge verifies. */
  ticket: z.optional(Ticket),
  /** Unix ms by the room's clock: a request that waited too long in a socket is rejected. */
  at: z.int().check(z.nonnegative()),
});
export type StreamOpen = z.infer<typeof StreamOpen>;

/** First record of a sealed request. */
export const SealedRequestHead = z.pick(StreamOpen, { method: true, path: true, headers: true });
export type SealedRequestHead = z.infer<typeof SealedRequestHead>;

/** Returns the size limit for the body of a request to this path. */
export function getMaxBodyBytes(path: string): number {
  return isFileUpload(path) ? MAX_FILE_BYTES : MAX_HTTP_BODY;
}

/** Whether the path uploads a file. An upload may take long; its timeout covers only stalls. */
export function isFileUpload(path: string): boolean {
  return path === "/files" || path.startsWith("/files?");
}

export const StreamHead = z.object({
  status: z.int().check(z.gte(200), z.lte(599)),
  headers: HeaderList,
});
export type StreamHead = z.infer<typeof StreamHead>;

export const StreamCancel = z.object({ reason: z.string().check(z.maxLength(200)) });
export type StreamCancel = z.infer<typeof StreamCancel>;

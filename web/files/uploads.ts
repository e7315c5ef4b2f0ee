// The entry of this folder, loaded with the first file: connects the upload queue with HTTP.

import type { FileUploadLimits, FileUploaded } from "../../protocol/http.ts";
import type { SendRequest } from "../session/operations.ts";
import { UploadQueue } from "./upload-queue.ts";

export { UploadCards } from "./cards.tsx";

export interface TerminalPort {
  readonly id: string;
  readonly paste: (text: string) => void;
  readonly toast: (text: string) => void;
}

/** Creates a queue that sends its files by `request`. */
export function createUploadQueue(
  request: SendRequest,
  { id, paste, toast }: TerminalPort,
): UploadQueue<File> {
  return new UploadQueue<File>({
    fetchMaxBytes: async () => await fetchMaxBytes(request),
    upload: async (file, signal, onSent) => {
      const query = new URLSearchParams({ name: file.name, size: `${file.size}`, terminal: id });
      const options = { method: "POST", body: file, signal, onSent };
      return await upload(async () => await request(`/files?${query}`, options), signal);
    },
    paste,
    toast,
  });
}

export type Outcome<T> = { ok: true; value: T } | { ok: false; error: string };

const CONNECTION_LOST = "The connection was lost. Nothing was saved.";
const NO_ANSWER = "The host is not responding. Try again in a moment.";

/** Fetches the largest file size that the host accepts. */
async function fetchMaxBytes(request: SendRequest): Promise<Outcome<number>> {
  try {
    const response = await request("/files");
    const body: unknown = await response.json();
    return response.ok && isLimits(body)
      ? { ok: true, value: body.mostBytes }
      : { ok: false, error: getErrorMessage(body) };
  } catch {
    return { ok: false, error: NO_ANSWER };
  }
}

/** Uploads a file; resolves to undefined once it is cancelled. */
async function upload(
  send: () => Promise<Response>,
  signal: AbortSignal,
): Promise<Outcome<FileUploaded> | undefined> {
  try {
    const response = await send();
    if (response.status === 503) return { ok: false, error: CONNECTION_LOST };
    const body: unknown = await response.json().catch(() => undefined);
    if (response.status === 201 && isFileTaken(body)) return { ok: true, value: body };
    return { ok: false, error: getErrorMessage(body) };
  } catch {
    return signal.aborted ? undefined : { ok: false, error: CONNECTION_LOST };
  }
}

function isLimits(body: unknown): body is FileUploadLimits {
  return typeof body === "object" && body !== null && "mostBytes" in body;
}

function isFileTaken(body: unknown): body is FileUploaded {
  return typeof body === "object" && body !== null && "path" in body && "name" in body;
}

function getErrorMessage(body: unknown): string {
  const isError = typeof body === "object" && body !== null && "error" in body;
  return isError ? `${String(body.error)}.` : NO_ANSWER;
}

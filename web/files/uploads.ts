// The entry of this folder, loaded with the first file: connects the upload queue with HTTP. Owns
// uploading one file over HTTP with progress, which fetch does not report for uploads.

import type { FileUploadLimits, FileUploaded } from "../../protocol/http.ts";
import { UploadQueue } from "./upload-queue.ts";

export { UploadCards } from "./cards.tsx";

export interface TerminalPort {
  readonly id: string;
  readonly paste: (text: string) => void;
  readonly toast: (text: string) => void;
}

const SEALED =
  "This room is end-to-end encrypted, where files cannot be sent yet. Nothing was sent.";

/** Creates a queue; without `toRequest` it sends nothing and says why. */
export function createUploadQueue(
  toRequest: ((path: string) => RequestTarget) | undefined,
  { id, paste, toast }: TerminalPort,
): UploadQueue<File> {
  return new UploadQueue<File>({
    fetchMaxBytes: async () =>
      toRequest ? await fetchMaxBytes(toRequest("/files")) : { ok: false, error: SEALED },
    upload: async (file, signal, onSent) => {
      if (!toRequest) return { ok: false, error: SEALED };
      const query = new URLSearchParams({ name: file.name, size: `${file.size}`, terminal: id });
      return await upload(toRequest(`/files?${query}`), file, signal, onSent);
    },
    paste,
    toast,
  });
}

export type Outcome<T> = { ok: true; value: T } | { ok: false; error: string };

/** URL and headers for a path of the workspace. */
export interface RequestTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const CONNECTION_LOST = "The connection was lost. Nothing was saved.";
const NO_ANSWER = "The host is not responding. Try again in a moment.";

/** Fetches the largest file size that the host accepts. */
export async function fetchMaxBytes({ url, headers }: RequestTarget): Promise<Outcome<number>> {
  try {
    const response = await fetch(url, { headers });
    const body: unknown = await response.json();
    return response.ok && isLimits(body)
      ? { ok: true, value: body.mostBytes }
      : { ok: false, error: getErrorMessage(body) };
  } catch {
    return { ok: false, error: NO_ANSWER };
  }
}

/** Uploads a file; resolves to undefined once it is cancelled. */
export function upload(
  { url, headers }: RequestTarget,
  file: Blob,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<Outcome<FileUploaded> | undefined> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded }) => onSent(loaded));
    request.addEventListener("load", () => resolve(toOutcome(request)));
    request.addEventListener("error", () => resolve({ ok: false, error: CONNECTION_LOST }));
    request.addEventListener("abort", () => resolve(undefined));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function toOutcome({ status, responseText }: XMLHttpRequest): Outcome<FileUploaded> {
  const body = parse(responseText);
  if (status === 201 && isFileTaken(body)) return { ok: true, value: body };
  return { ok: false, error: status === 503 ? CONNECTION_LOST : getErrorMessage(body) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
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

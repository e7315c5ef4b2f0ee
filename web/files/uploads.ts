// The entry of this folder, loaded with the first file: connects the upload queue with HTTP.

import { UploadQueue } from "./upload-queue.ts";
import type { RequestTarget } from "./upload.ts";
import { fetchMaxBytes, upload } from "./upload.ts";

export { UploadCards } from "./cards.tsx";

export interface TerminalPort {
  readonly id: string;
  readonly paste: (text: string) => void;
  readonly toast: (text: string) => void;
}

export function createUploadQueue(
  toRequest: (path: string) => RequestTarget,
  { id, paste, toast }: TerminalPort,
): UploadQueue<File> {
  return new UploadQueue<File>({
    fetchMaxBytes: () => fetchMaxBytes(toRequest("/files")),
    upload: (file, signal, onSent) => {
      const query = new URLSearchParams({ name: file.name, size: `${file.size}`, terminal: id });
      return upload(toRequest(`/files?${query}`), file, signal, onSent);
    },
    paste,
    toast,
  });
}

// The entry of this folder, loaded with the first file: connects the upload queue with HTTP.

import { Sending } from "./sending.ts";
import type { Way } from "./upload.ts";
import { mostBytes, upload } from "./upload.ts";

export { Cards } from "./cards.tsx";

export interface Terminal {
  readonly id: string;
  readonly paste: (text: string) => void;
  readonly toast: (text: string) => void;
}

export function sendingBy(
  way: (path: string) => Way,
  { id, paste, toast }: Terminal,
): Sending<File> {
  return new Sending<File>({
    mostBytes: () => mostBytes(way("/files")),
    upload: (file, signal, onSent) => {
      const query = new URLSearchParams({ name: file.name, size: `${file.size}`, terminal: id });
      return upload(way(`/files?${query}`), file, signal, onSent);
    },
    paste,
    toast,
  });
}

// Owns uploading files that were dropped on a terminal: the limits, the progress, and typing their
// paths when all have arrived. Does not draw, and types through a callback. Also owns quoting a
// path so that a shell reads it as one word.

import { signal } from "@preact/signals";
import { quoteWord } from "../../protocol/formats.ts";
import type { FileUploaded } from "../../protocol/http.ts";
import type { Outcome } from "./uploads.ts";

/** Parallel uploads: the host accepts four of one link. */
const MAX_PARALLEL = 3;

/** More is a mistake, or a folder's content, for which an archive is better. */
export const MAX_AT_ONCE = 20;

const MiB = 1 << 20;

/** The part of a file that is used here. */
export type UploadFile = Pick<File, "name" | "size">;

export interface UploadItem {
  readonly key: number;
  readonly name: string;
  readonly size: number;
  readonly sent: number;
  /** Why the upload failed; shown until a person dismisses it. */
  readonly error?: string;
}

export interface UploadQueueDeps<F extends UploadFile> {
  readonly fetchMaxBytes: () => Promise<Outcome<number>>;
  /** Uploads a file; resolves to undefined once it is cancelled. */
  readonly upload: (
    file: F,
    signal: AbortSignal,
    onSent: (bytes: number) => void,
  ) => Promise<Outcome<FileUploaded> | undefined>;
  /** Pastes text under the same rules as other input. */
  readonly paste: (text: string) => void;
  readonly toast: (text: string) => void;
}

export class UploadQueue<F extends UploadFile> {
  readonly items = signal<readonly UploadItem[]>([]);
  readonly #deps: UploadQueueDeps<F>;
  readonly #cancels = new Map<number, AbortController>();
  #keys = 0;

  constructor(deps: UploadQueueDeps<F>) {
    this.#deps = deps;
  }

  async send(files: readonly F[]): Promise<void> {
    const { toast, paste, fetchMaxBytes } = this.#deps;
    if (files.length > MAX_AT_ONCE) {
      return toast(`${files.length} files are too many at once. Send an archive instead.`);
    }
    const limit = await fetchMaxBytes();
    if (!limit.ok) return toast(limit.error);
    const queue = files.map((file) => ({ file, item: this.#add(file, limit.value) }));
    const paths: (string | undefined)[] = queue.map(() => undefined);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < queue.length; at = next++) {
        const one = queue[at];
        if (one !== undefined) paths[at] = await this.#send(one.file, one.item);
      }
    };
    await Promise.all(Array.from({ length: MAX_PARALLEL }, work));
    const typed = paths.filter((path) => path !== undefined).map(quoteWord);
    if (typed.length > 0) paste(`${typed.join(" ")} `);
    return undefined;
  }

  /** Cancels an upload, or dismisses a failed one. */
  drop(key: number): void {
    this.#cancels.get(key)?.abort();
    this.#remove(key);
  }

  dispose(): void {
    for (const { key } of this.items.peek()) this.drop(key);
  }

  #add({ name, size }: F, limit: number): UploadItem {
    this.#keys += 1;
    const tooLarge = `Too large: the host accepts at most ${Math.floor(limit / MiB)} MiB.`;
    const item: UploadItem = {
      key: this.#keys,
      name,
      size,
      sent: 0,
      ...(size > limit && { error: tooLarge }),
    };
    if (item.error === undefined) this.#cancels.set(item.key, new AbortController());
    this.items.value = [...this.items.peek(), item];
    return item;
  }

  async #send(file: F, { key }: UploadItem): Promise<string | undefined> {
    const cancel = this.#cancels.get(key);
    if (cancel === undefined || cancel.signal.aborted) return undefined;
    const outcome = await this.#deps.upload(file, cancel.signal, (sent) => {
      this.#change(key, { sent });
    });
    this.#cancels.delete(key);
    if (outcome?.ok === false) this.#change(key, { error: outcome.error });
    else this.#remove(key);
    return outcome?.ok === true ? outcome.value.path : undefined;
  }

  #change(key: number, by: Partial<UploadItem>): void {
    this.items.value = this.items
      .peek()
      .map((item) => (item.key === key ? { ...item, ...by } : item));
  }

  #remove(key: number): void {
    this.items.value = this.items.peek().filter((item) => item.key !== key);
  }
}

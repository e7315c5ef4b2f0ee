// Owns what becomes of files that somebody gave a terminal: which may go, how far each is, and the
// paths that are typed when all are there. Does not draw, and knows no terminal: it is told how to type.

import { signal } from "@preact/signals";
import type { FileTaken } from "../../protocol/files.ts";
import { quoted } from "./quote.ts";
import type { Outcome } from "./upload.ts";

/** On their way together: the host takes four of one link. */
const AT_ONCE = 3;

/** More is a slip of the hand, or a folder's content: an archive is the way for that. */
export const MOST_AT_ONCE = 20;

const MiB = 1 << 20;

/** A file, as far as it is looked at here. */
export type Given = Pick<File, "name" | "size">;

export interface Item {
  readonly key: number;
  readonly name: string;
  readonly size: number;
  readonly sent: number;
  /** Why it is not there; it stays until somebody has read it. */
  readonly error?: string;
}

export interface SendingParts<F extends Given> {
  readonly mostBytes: () => Promise<Outcome<number>>;
  /** Undefined once it was cancelled. */
  readonly upload: (
    file: F,
    signal: AbortSignal,
    onSent: (bytes: number) => void,
  ) => Promise<Outcome<FileTaken> | undefined>;
  /** As a paste: by the ways and under the rules of everything that is typed. */
  readonly paste: (text: string) => void;
  readonly toast: (text: string) => void;
}

export class Sending<F extends Given> {
  readonly items = signal<readonly Item[]>([]);
  readonly #parts: SendingParts<F>;
  readonly #cancels = new Map<number, AbortController>();
  #keys = 0;

  constructor(parts: SendingParts<F>) {
    this.#parts = parts;
  }

  async send(files: readonly F[]): Promise<void> {
    const { toast, paste, mostBytes } = this.#parts;
    if (files.length > MOST_AT_ONCE) {
      return toast(`${files.length} files at once are too many: send an archive of them.`);
    }
    const most = await mostBytes();
    if (!most.ok) return toast(most.error);
    const queue = files.map((file) => ({ file, item: this.#add(file, most.value) }));
    const paths: (string | undefined)[] = queue.map(() => undefined);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < queue.length; at = next++) {
        const one = queue[at];
        if (one !== undefined) paths[at] = await this.#send(one.file, one.item);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const typed = paths.filter((path) => path !== undefined).map(quoted);
    if (typed.length > 0) paste(`${typed.join(" ")} `);
    return undefined;
  }

  /** Ends one that is on its way, or takes away what is said of one that failed. */
  drop(key: number): void {
    this.#cancels.get(key)?.abort();
    this.#remove(key);
  }

  dispose(): void {
    for (const { key } of this.items.peek()) this.drop(key);
  }

  #add({ name, size }: F, most: number): Item {
    this.#keys += 1;
    const tooLarge = `Too large: the host accepts at most ${Math.floor(most / MiB)} MiB.`;
    const item: Item = {
      key: this.#keys,
      name,
      size,
      sent: 0,
      ...(size > most && { error: tooLarge }),
    };
    if (item.error === undefined) this.#cancels.set(item.key, new AbortController());
    this.items.value = [...this.items.peek(), item];
    return item;
  }

  async #send(file: F, { key }: Item): Promise<string | undefined> {
    const cancel = this.#cancels.get(key);
    if (cancel === undefined || cancel.signal.aborted) return undefined;
    const outcome = await this.#parts.upload(file, cancel.signal, (sent) => {
      this.#change(key, { sent });
    });
    this.#cancels.delete(key);
    if (outcome?.ok === false) this.#change(key, { error: outcome.error });
    else this.#remove(key);
    return outcome?.ok === true ? outcome.value.path : undefined;
  }

  #change(key: number, by: Partial<Item>): void {
    this.items.value = this.items
      .peek()
      .map((item) => (item.key === key ? { ...item, ...by } : item));
  }

  #remove(key: number): void {
    this.items.value = this.items.peek().filter((item) => item.key !== key);
  }
}

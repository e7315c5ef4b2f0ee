// Owns how files reach a terminal: dropped on it, pasted into it, or chosen. What becomes of them is
// files/'s, which is loaded with the first of them.

import { signal } from "@preact/signals";
import type { Cards } from "../files/cards.tsx";
import type { Sending } from "../files/sending.ts";
import type { Session } from "../session/session.ts";

export interface GivingParts {
  readonly id: string;
  readonly session: Session;
  /** Why nothing can be typed here now; "" where the page shows it anyway. */
  readonly hindrance: () => string | undefined;
  readonly paste: (text: string) => void;
}

const NOT_LOADED = "Part of the page did not load. Reload the page.";

export class Giving {
  /** Files on their way, and what draws them; undefined before the first. */
  readonly sending = signal<{ sending: Sending<File>; Cards: typeof Cards } | undefined>(undefined);
  readonly #parts: GivingParts;
  #isDisposed = false;

  constructor(parts: GivingParts) {
    this.#parts = parts;
  }

  /** Until the element is gone. */
  listen(host: HTMLElement): void {
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (host.dataset["dropping"] === "true") return;
      // Draws the sign.
      void this.#load();
      host.dataset["dropping"] = "true";
    };
    const leave = (): void => void delete host.dataset["dropping"];
    host.addEventListener("dragenter", over);
    host.addEventListener("dragover", over);
    host.addEventListener("dragleave", (event) => {
      const to = event.relatedTarget;
      if (!(to instanceof Node && host.contains(to))) leave();
    });
    host.addEventListener("drop", (event) => {
      leave();
      if (!hasFiles(event)) return;
      event.preventDefault();
      void this.take(dropped(event));
    });
  }

  /** Asks the browser for files; on a phone that is its photos, too. */
  choose(): void {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    input.addEventListener("change", () => void this.take([...(input.files ?? [])]));
    input.click();
  }

  async take(files: readonly (File | undefined)[]): Promise<void> {
    const { session, hindrance } = this.#parts;
    const { store } = session;
    const why = store.whyReadOnly("send files") ?? hindrance();
    if (why !== undefined) return store.toast(why || "This terminal has ended.");
    if (files.includes(undefined))
      store.toast("The page cannot send folders. Send an archive instead.");
    const whole = files.filter((file) => file !== undefined);
    if (whole.length > 0) await (await this.#load())?.send(whole);
    return undefined;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.sending.peek()?.sending.dispose();
  }

  async #load(): Promise<Sending<File> | undefined> {
    const { session, id, paste } = this.#parts;
    const toast = (text: string) => session.store.toast(text);
    try {
      const { Cards, sendingBy } = await import("../files/giving.ts");
      if (this.#isDisposed) return undefined;
      const sending =
        this.sending.peek()?.sending ??
        sendingBy((path) => session.way(path), { id, paste, toast });
      this.sending.value = { sending, Cards };
      return sending;
    } catch {
      toast(NOT_LOADED);
      return undefined;
    }
  }
}

/** A file that misses the terminal must not take the page away. */
export function keepPage(): void {
  for (const type of ["dragover", "drop"] as const) {
    document.addEventListener(type, (event) => {
      if (hasFiles(event)) event.preventDefault();
    });
  }
}

/** Pictures and files on the clipboard, where it has no text. */
export function filesIn(clipboard: DataTransfer | null): readonly File[] {
  if (!clipboard || clipboard.getData("text/plain") !== "") return [];
  return [...clipboard.files].map(timed);
}

/** Browsers call every picture on the clipboard the same. */
function timed(file: File): File {
  const [, ending] = /^image(\.\w+)$/.exec(file.name) ?? [];
  if (ending === undefined) return file;
  const now = new Date().toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return new File([file], `pasted-${now}${ending}`, { type: file.type });
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}

/** Undefined for a folder: reading one looks like an empty file. */
function dropped({ dataTransfer }: DragEvent): readonly (File | undefined)[] {
  return [...(dataTransfer?.items ?? [])]
    .filter(({ kind }) => kind === "file")
    .map((item) => {
      if (item.webkitGetAsEntry()?.isDirectory === true) return undefined;
      return item.getAsFile() ?? undefined;
    });
}

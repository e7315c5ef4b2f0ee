// Owns how files get to a terminal: dropped, pasted or chosen. files/ uploads them and is loaded with the
// first file.

import { signal } from "@preact/signals";
import type { Cards } from "../files/cards.tsx";
import type { Sending } from "../files/sending.ts";
import type { Session } from "../session/session.ts";

export interface GivingParts {
  readonly id: string;
  readonly session: Session;
  /** Why input is blocked now; "" if the page already shows the reason. */
  readonly hindrance: () => string | undefined;
  readonly paste: (text: string) => void;
}

const NOT_LOADED = "Part of the page did not load. Reload the page.";

export class Giving {
  /** Uploads and the component that draws them; undefined before the first. */
  readonly sending = signal<{ sending: Sending<File>; Cards: typeof Cards } | undefined>(undefined);
  readonly #parts: GivingParts;
  #isDisposed = false;

  constructor(parts: GivingParts) {
    this.#parts = parts;
  }

  /** Handles files dragged over and dropped on the element. */
  listen(host: HTMLElement): void {
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (host.dataset["dropping"] === "true") return;
      // Loads the style sheet that draws the drop hint.
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

  /** Opens the browser's file picker, which on a phone also offers photos. */
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
      store.toast("Folders can’t be uploaded. Upload an archive instead.");
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

/** Prevents the browser from navigating to a file that was dropped beside a terminal. */
export function keepPage(): void {
  for (const type of ["dragover", "drop"] as const) {
    document.addEventListener(type, (event) => {
      if (hasFiles(event)) event.preventDefault();
    });
  }
}

/** Returns the clipboard's files and images; none if it also has text. */
export function filesIn(clipboard: DataTransfer | null): readonly File[] {
  if (!clipboard || clipboard.getData("text/plain") !== "") return [];
  return [...clipboard.files].map(timed);
}

/** Adds the time to the name of a pasted image, since browsers name all of them alike. */
function timed(file: File): File {
  const [, ending] = /^image(\.\w+)$/.exec(file.name) ?? [];
  if (ending === undefined) return file;
  const now = new Date().toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return new File([file], `pasted-${now}${ending}`, { type: file.type });
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}

/** Returns the dropped files; undefined for a folder, which would read as an empty file. */
function dropped({ dataTransfer }: DragEvent): readonly (File | undefined)[] {
  return [...(dataTransfer?.items ?? [])]
    .filter(({ kind }) => kind === "file")
    .map((item) => {
      if (item.webkitGetAsEntry()?.isDirectory === true) return undefined;
      return item.getAsFile() ?? undefined;
    });
}

// Owns how files get to a terminal: dropped, pasted or chosen. files/ uploads them and is loaded with the
// first file.

import { signal } from "@preact/signals";
import type { UploadCards } from "../files/cards.tsx";
import type { UploadQueue } from "../files/upload-queue.ts";
import type { Session } from "../session/session.ts";

export interface FileDropDeps {
  readonly id: string;
  readonly session: Session;
  /** Why input is blocked now; "" if the page already shows the reason. */
  readonly inputBlockedReason: () => string | undefined;
  readonly paste: (text: string) => void;
}

const NOT_LOADED = "Part of the page did not load. Reload the page.";

export class FileDrop {
  /** Uploads and the component that draws them; undefined before the first. */
  readonly uploads = signal<{ sending: UploadQueue<File>; Cards: typeof UploadCards } | undefined>(
    undefined,
  );
  readonly #deps: FileDropDeps;
  #isDisposed = false;

  constructor(deps: FileDropDeps) {
    this.#deps = deps;
  }

  /** Handles files dragged over and dropped on the element. */
  listen(host: HTMLElement): void {
    const showDropHint = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (host.dataset["dropping"] === "true") return;
      // Loads the style sheet that draws the drop hint.
      void this.#load();
      host.dataset["dropping"] = "true";
    };
    const clearDropHint = (): void => void delete host.dataset["dropping"];
    host.addEventListener("dragenter", showDropHint);
    host.addEventListener("dragover", showDropHint);
    host.addEventListener("dragleave", (event) => {
      const to = event.relatedTarget;
      if (!(to instanceof Node && host.contains(to))) clearDropHint();
    });
    host.addEventListener("drop", (event) => {
      clearDropHint();
      if (!hasFiles(event)) return;
      event.preventDefault();
      void this.upload(getDroppedFiles(event));
    });
  }

  /** Opens the browser's file picker, which on a phone also offers photos. */
  choose(): void {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    input.addEventListener("change", () => void this.upload([...(input.files ?? [])]));
    input.click();
  }

  async upload(files: readonly (File | undefined)[]): Promise<void> {
    const { session, inputBlockedReason } = this.#deps;
    const { store } = session;
    const why = store.readOnlyReason("send files") ?? inputBlockedReason();
    if (why !== undefined) return store.toast(why || "This terminal has ended.");
    if (files.includes(undefined))
      store.toast("Folders can’t be uploaded. Upload an archive instead.");
    const whole = files.filter((file) => file !== undefined);
    if (whole.length > 0) await (await this.#load())?.send(whole);
    return undefined;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.uploads.peek()?.sending.dispose();
  }

  async #load(): Promise<UploadQueue<File> | undefined> {
    const { session, id, paste } = this.#deps;
    const toast = (text: string) => session.store.toast(text);
    try {
      const { UploadCards, createUploadQueue } = await import("../files/uploads.ts");
      if (this.#isDisposed) return undefined;
      const sending =
        this.uploads.peek()?.sending ?? createUploadQueue(session.request, { id, paste, toast });
      this.uploads.value = { sending, Cards: UploadCards };
      return sending;
    } catch {
      toast(NOT_LOADED);
      return undefined;
    }
  }
}

/** Prevents the browser from navigating to a file that was dropped beside a terminal. */
export function preventFileNavigation(): void {
  for (const type of ["dragover", "drop"] as const) {
    document.addEventListener(type, (event) => {
      if (hasFiles(event)) event.preventDefault();
    });
  }
}

/** Returns the clipboard's files and images; none if it also has text. */
export function getClipboardFiles(clipboard: DataTransfer | null): readonly File[] {
  if (!clipboard || clipboard.getData("text/plain") !== "") return [];
  return [...clipboard.files].map(withTimestamp);
}

/** Adds the time to the name of a pasted image, since browsers name all of them alike. */
function withTimestamp(file: File): File {
  const [, ending] = /^image(\.\w+)$/.exec(file.name) ?? [];
  if (ending === undefined) return file;
  const now = new Date().toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return new File([file], `pasted-${now}${ending}`, { type: file.type });
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}

/** Returns the dropped files; undefined for a folder, which would read as an empty file. */
function getDroppedFiles({ dataTransfer }: DragEvent): readonly (File | undefined)[] {
  return [...(dataTransfer?.items ?? [])]
    .filter(({ kind }) => kind === "file")
    .map((item) => {
      if (item.webkitGetAsEntry()?.isDirectory === true) return undefined;
      return item.getAsFile() ?? undefined;
    });
}

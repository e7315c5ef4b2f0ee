// Owns which callers are in the middle of a bracketed paste, and into which terminal. A paste comes in
// several messages; without its end a program takes every key that follows for pasted text. Pure.

import type { Caller } from "../callers/caller.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";

const PASTE_START = "\u001B[200~";
export const PASTE_END = "\u001B[201~";

/** The longest part of a marker that may be at the end of a message. */
const TAIL_CHARS = PASTE_END.length - 1;

interface OpenPaste {
  readonly terminal: PoolTerminal;
  /** The last characters, where the end marker may have begun. */
  readonly tail: string;
}

export class OpenPastes {
  readonly #open = new WeakMap<Caller, Map<string, OpenPaste>>();

  /** Notes what a caller typed. Hot path (every keystroke): usually returns early. */
  onTyped(caller: Caller, terminal: PoolTerminal, bytes: Uint8Array): void {
    const before = this.#open.get(caller)?.get(terminal.id);
    if (before === undefined && bytes.length < PASTE_START.length) return;
    const { buffer, byteOffset, byteLength } = bytes;
    const typed = Buffer.from(buffer, byteOffset, byteLength);
    if (before === undefined && !typed.includes(PASTE_START)) return;
    const text = (before?.tail ?? "") + typed.toString("latin1");
    const [start, end] = [text.lastIndexOf(PASTE_START), text.lastIndexOf(PASTE_END)];
    const isOpen = start === end ? before !== undefined : start > end;
    if (!isOpen) return this.#forget(caller, terminal.id);
    const own = this.#open.get(caller) ?? new Map<string, OpenPaste>();
    own.set(terminal.id, { terminal, tail: text.slice(-TAIL_CHARS) });
    this.#open.set(caller, own);
    return undefined;
  }

  /** Returns the terminals that a caller was pasting into, and forgets them. */
  take(caller: Caller): PoolTerminal[] {
    const open = [...(this.#open.get(caller)?.values() ?? [])];
    this.#open.delete(caller);
    return open.map(({ terminal }) => terminal);
  }

  #forget(caller: Caller, id: string): void {
    const own = this.#open.get(caller);
    own?.delete(id);
    if (own?.size === 0) this.#open.delete(caller);
  }
}

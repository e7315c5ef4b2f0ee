// Owns one terminal's screen: an emulator at an exact offset of the stream, always between two
// sequences and two characters, so that what follows can be written behind a snapshot of it.

import type { Terminal } from "@xterm/headless";
import { KiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import { unfinishedTail } from "../../protocol/utf8.ts";
import { SequenceScanner } from "../pty-host/sequences.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type * as Emulator from "./emulator.ts";
import type * as Serializer from "./serialize.ts";

export interface Snapshot {
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  /** Written to a fresh terminal of this size it gives the screen; ≤ 90,000 bytes. */
  readonly data: string;
}

export interface ScreenView {
  readonly cols: number;
  readonly rows: number;
  readonly cursor: { readonly x: number; readonly y: number };
  readonly bufferType: "normal" | "alternate";
  readonly lines: string[];
  /** Whether the line goes on from the one above. */
  readonly wrapped: boolean[];
  readonly title: string;
  readonly offset: number;
  readonly timestamp: number;
}

/** One fetch; a keystroke's echo waits behind at most this much on the host's socket. */
const PIECE_BYTES = 64 * KiB;

/** Written at once: about a millisecond, and then everybody else has a turn. */
const SLICE_BYTES = 16 * KiB;

/** From here before the end a plain screen is rebuilt: more than a thousand long lines. */
const REBUILD_BYTES = 512 * KiB;

type Tools = typeof Emulator & typeof Serializer;
let tools: Promise<Tools> | undefined;

/** The emulator is loaded once, when somebody first needs it. */
function loadTools(): Promise<Tools> {
  tools ??= Promise.all([import("./emulator.ts"), import("./serialize.ts")]).then(
    ([emulator, serializer]) => {
      const scratch = emulator.createEmulator(2, 1);
      serializer.learnCharsets(scratch);
      scratch.dispose();
      return { ...emulator, ...serializer };
    },
  );
  return tools;
}

export class Screen {
  readonly #pool: TerminalPool;
  readonly #terminal: PoolTerminal;
  readonly #scanner = new SequenceScanner(() => {});
  #tools: Tools | undefined;
  #emulator: Terminal | undefined;
  #offset = 0;
  #target = 0;
  #feeding: Promise<void> | undefined;
  #last: Snapshot | undefined;

  constructor(pool: TerminalPool, terminal: PoolTerminal) {
    this.#pool = pool;
    this.#terminal = terminal;
  }

  /** Resolves when the screen has everything that the host has now. */
  async catchUp(): Promise<void> {
    const end = await this.#pool.fetch(
      this.#terminal,
      Number.MAX_SAFE_INTEGER,
      0,
      ({ offset }) => offset,
    );
    this.#target = Math.max(this.#target, end);
    while (this.#feeding !== undefined) await this.#feeding;
    if (this.#emulator !== undefined && this.#offset >= end) return;
    this.#feeding = this.#feed().finally(() => {
      this.#feeding = undefined;
    });
    await this.#feeding;
  }

  snapshot(): Snapshot {
    const {
      emulator,
      tools: { serialize },
    } = this.#ready();
    const { cols, rows } = emulator;
    const last = this.#last;
    if (last?.offset === this.#offset && last.cols === cols && last.rows === rows) return last;
    this.#last = { offset: this.#offset, cols, rows, data: serialize(emulator) };
    return this.#last;
  }

  view(): ScreenView {
    const { emulator } = this.#ready();
    const { cols, rows } = emulator;
    const buffer = emulator.buffer.active;
    const lines: string[] = [];
    const wrapped: boolean[] = [];
    for (let row = 0; row < rows; row++) {
      const line = buffer.getLine(buffer.baseY + row);
      lines.push(line?.translateToString(true) ?? "");
      wrapped.push(line?.isWrapped ?? false);
    }
    return {
      cols,
      rows,
      cursor: { x: Math.min(buffer.cursorX, cols - 1), y: buffer.cursorY },
      bufferType: buffer.type,
      lines,
      wrapped,
      title: this.#ready().tools.titleOf(emulator),
      offset: this.#offset,
      timestamp: Date.now(),
    };
  }

  dispose(): void {
    this.#emulator?.dispose();
    this.#emulator = undefined;
    this.#last = undefined;
  }

  #ready(): { readonly emulator: Terminal; readonly tools: Tools } {
    if (this.#emulator === undefined || this.#tools === undefined) {
      throw new Error("the screen is gone");
    }
    return { emulator: this.#emulator, tools: this.#tools };
  }

  async #feed(): Promise<void> {
    this.#tools = await loadTools();
    let piece = PIECE_BYTES;
    while (this.#emulator === undefined || this.#offset < this.#target) {
      const asked = this.#emulator === undefined ? 0 : this.#offset;
      const from = Math.max(asked, this.#target - this.#reach());
      const { offset, bytes } = await this.#pool.fetch(
        this.#terminal,
        from,
        REPLAY_BYTES,
        (retained) => retained,
        Math.min(this.#target, from + piece),
      );
      this.#place(offset);
      const clean = this.#cleanLength(bytes);
      await this.#write(bytes.subarray(0, clean));
      if (clean === 0 && offset + bytes.length >= this.#target) return;
      // A sequence longer than a piece: look further.
      piece = clean === 0 ? piece * 2 : PIECE_BYTES;
    }
  }

  /** How far back bytes are of use; a screen that is too far behind is made anew from there. */
  #reach(): number {
    return this.#emulator === undefined || this.#target - this.#offset > REPLAY_BYTES
      ? REBUILD_BYTES
      : REPLAY_BYTES;
  }

  /** The emulator as it goes on at `offset`: a new one if bytes are missing. */
  #place(offset: number): void {
    const { cols, rows } = this.#terminal;
    if (this.#tools === undefined) return;
    if (this.#emulator === undefined || offset !== this.#offset) {
      this.#emulator?.dispose();
      this.#emulator = this.#tools.createEmulator(cols, rows);
      this.#offset = offset;
    }
    if (this.#emulator.cols !== cols || this.#emulator.rows !== rows) {
      this.#tools.resizeTo(this.#emulator, cols, rows);
    }
  }

  /** Up to where these bytes end between sequences and characters. */
  #cleanLength(bytes: Buffer): number {
    this.#scanner.reset();
    this.#scanner.scan(bytes, 0);
    if (!this.#scanner.isGround) return this.#scanner.startedAt;
    return bytes.length - unfinishedTail(bytes);
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      if (this.#emulator === undefined || this.#tools === undefined) return;
      const slice = bytes.subarray(at, at + SLICE_BYTES);
      this.#tools.writeNow(this.#emulator, slice);
      this.#offset += slice.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

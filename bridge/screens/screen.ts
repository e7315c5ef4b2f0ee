// Owns one terminal's screen: an emulator at an exact offset of the stream, always between two
// sequences and two characters, so that live output can follow a snapshot. Answers the program's
// queries when it is fed up to them.

import { setTimeout as delay } from "node:timers/promises";
import type { Checkpoint } from "../../protocol/host.ts";
import { KiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import { countUnfinishedTail } from "../../protocol/text.ts";
import type { PictureSource } from "../pictures/draw.ts";
import { SequenceScanner } from "../sequences/sequence-scanner.ts";
import type { HostScreen } from "../terminals/host-requests.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { Unavailable } from "../terminals/unavailable.ts";
import type { Emulator } from "./emulator.ts";
import type { Mark } from "./feed-pacing.ts";
import {
  FEED_MS,
  RESTART_BYTES,
  nextSlice,
  SLICE_BYTES,
  SLICE_MS,
  removeCostly,
  chooseStart,
  fillModes,
  lineStart,
  writeFor,
} from "./feed-pacing.ts";
import { loadEmulator } from "./load-emulator.ts";
import type { ScreenView } from "./screen-view.ts";
import { toScreenView } from "./screen-view.ts";

export interface Snapshot {
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  /**
   * Text that restores the screen in a fresh terminal of this size; at most 90,000 bytes of UTF-8.
   */
  readonly data: string;
}

/** Size of a fetch; a keystroke's echo waits for at most this much on the host's socket. */
const PIECE_BYTES = 64 * KiB;

/** The part of the pool that one screen needs. */
export type ScreenSource = Pick<TerminalPool, "answer" | "fetch" | "screenState">;

export class Screen {
  readonly #pool: ScreenSource;
  readonly #terminal: PoolTerminal;
  readonly #scanner = new SequenceScanner(() => {});
  #emulator: Emulator | undefined;
  #offset = 0;
  #marks: readonly Mark[] = [];
  #feeding: Promise<void> | undefined;
  #queued: Promise<void> | undefined;
  /** Bytes written in one step, adapted to the duration of the last. */
  #slice = SLICE_BYTES;
  #written = 0;
  /** Milliseconds of drawing left for this feed. */
  #left = FEED_MS;
  #last: Snapshot | undefined;
  #disposed = false;

  constructor(pool: ScreenSource, terminal: PoolTerminal) {
    this.#pool = pool;
    this.#terminal = terminal;
  }

  /** Returns the offset up to which the screen has the output. */
  get offset(): number {
    return this.#offset;
  }

  get isFeeding(): boolean {
    return this.#feeding !== undefined;
  }

  /** Resolves when the screen has all current output, except an incomplete sequence. */
  catchUp(): Promise<void> {
    if (this.#feeding === undefined) return this.#start();
    // The running feed may have read the host's state already, so another one follows.
    this.#queued ??= this.#feeding
      .catch(() => {})
      .then(() => {
        this.#queued = undefined;
        return this.#start();
      });
    return this.#queued;
  }

  snapshot(): Snapshot {
    const emulator = this.#ready();
    const { cols, rows } = emulator.terminal;
    const last = this.#last;
    if (last?.offset === this.#offset && last.cols === cols && last.rows === rows) return last;
    this.#last = { offset: this.#offset, cols, rows, data: emulator.serialize() };
    return this.#last;
  }

  view(): ScreenView {
    const { terminal, title } = this.#ready();
    return toScreenView(terminal, title, this.#offset);
  }

  get wantsApplicationKeys(): boolean {
    return this.#ready().terminal.modes.applicationCursorKeysMode;
  }

  toPictureSource(): PictureSource {
    return this.#ready().look();
  }

  dispose(): void {
    this.#disposed = true;
    this.#emulator?.dispose();
    this.#emulator = undefined;
    this.#last = undefined;
  }

  #ready(): Emulator {
    if (this.#emulator === undefined) throw new Unavailable("the screen is gone");
    return this.#emulator;
  }

  #start(): Promise<void> {
    this.#feeding = this.#feed().finally(() => {
      this.#feeding = undefined;
    });
    return this.#feeding;
  }

  async #feed(): Promise<void> {
    const { Emulator: Made } = await loadEmulator();
    const make = (cols: number, rows: number) => new Made(cols, rows);
    const state = await this.#readState();
    const goal = state.end;
    this.#left = FEED_MS;
    await this.#begin(state, make);
    let piece = PIECE_BYTES;
    while (this.#offset < goal && !this.#disposed) {
      if (this.#left <= 0) {
        await this.#skip(make);
        continue;
      }
      const { offset, bytes } = await this.#fetch(
        this.#offset,
        Math.min(goal, this.#offset + piece),
      );
      if (offset !== this.#offset) {
        // The stream was faster: the bytes in between are gone.
        await this.#rebuild(await this.#readState(), make);
        continue;
      }
      const clean = this.#cleanLength(bytes);
      await this.#write(bytes.subarray(0, clean));
      // A sequence longer than a piece needs a larger one; an incomplete one has to wait.
      if (clean === 0 && offset + bytes.length >= goal) break;
      piece = clean === 0 ? piece * 2 : PIECE_BYTES;
    }
    this.#resize();
    this.#answer(goal);
  }

  async #readState(): Promise<HostScreen> {
    const isNew = this.#emulator === undefined;
    const state = await this.#pool.screenState(this.#terminal, this.#offset, isNew);
    this.#marks = fillModes(state.marks);
    return state;
  }

  /** Prepares the emulator: keeps it, restores its checkpoint, or rebuilds it. */
  async #begin(state: HostScreen, make: (cols: number, rows: number) => Emulator): Promise<void> {
    if (this.#emulator !== undefined && this.#offset >= state.first) return;
    const { checkpoint } = state;
    const isUseful =
      checkpoint !== undefined &&
      checkpoint.offset >= state.first &&
      checkpoint.offset <= state.end;
    if (this.#emulator === undefined && isUseful) await this.#restore(checkpoint, make);
    else await this.#rebuild(state, make);
  }

  async #restore(
    { offset, cols, rows, data }: Checkpoint,
    make: (cols: number, rows: number) => Emulator,
  ): Promise<void> {
    this.#replace(make(cols, rows), offset);
    for (let at = 0; at < data.length; at += SLICE_BYTES) {
      this.#emulator?.write(data.subarray(at, at + SLICE_BYTES));
      await this.#yield(SLICE_BYTES);
    }
    // Exactly as stored, so that the snapshot does not differ.
    this.#last = { offset, cols, rows, data: Buffer.from(data).toString("utf8") };
  }

  /** Rebuilds in one fetch: a stream that was faster once would be again. */
  async #rebuild(state: HostScreen, make: (cols: number, rows: number) => Emulator): Promise<void> {
    const start = chooseStart(this.#marks, state.first, state.end);
    const { offset, bytes } = await this.#fetch(start.offset);
    const isCut = offset !== start.offset || (start.isWithinLine && offset > 0);
    const from = isCut ? lineStart(bytes) : 0;
    this.#replace(make(start.cols, start.rows), offset + from);
    this.#emulator?.write(start.modes);
    // Later bytes may have marks that are not known yet; used only if nothing else is left.
    const known = state.end - offset;
    const rest = bytes.subarray(from, known > from ? known : bytes.length);
    await this.#write(rest.subarray(0, this.#cleanLength(rest)));
  }

  /** Skips output that takes too long: clean screen, current modes, end of the text. */
  async #skip(make: (cols: number, rows: number) => Emulator): Promise<void> {
    const { first, end } = await this.#readState();
    const { offset, bytes } = await this.#fetch(Math.max(first, end - RESTART_BYTES), end);
    const from = offset > 0 ? lineStart(bytes) : 0;
    const to = from + this.#cleanLength(bytes.subarray(from));
    const { cols, rows, modes } = this.#marks.at(-1) ?? { cols: 80, rows: 24, modes: "" };
    this.#replace(make(cols, rows), offset + to);
    this.#emulator?.write(modes);
    this.#emulator?.write(removeCostly(bytes.subarray(from, to)));
    this.#left = FEED_MS;
  }

  #replace(emulator: Emulator, offset: number): void {
    this.#emulator?.dispose();
    this.#last = undefined;
    this.#offset = offset;
    if (this.#disposed) emulator.dispose();
    else this.#emulator = emulator;
  }

  #fetch(from: number, to?: number) {
    return this.#pool.fetch(this.#terminal, from, REPLAY_BYTES, (retained) => retained, to);
  }

  /** Returns the length up to the last boundary of sequences and characters. */
  #cleanLength(bytes: Buffer): number {
    this.#scanner.reset();
    this.#scanner.scan(bytes, 0);
    if (!this.#scanner.isGround) return this.#scanner.startedAt;
    return bytes.length - countUnfinishedTail(bytes);
  }

  /** Writes as much as the time of this feed allows. */
  async #write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length && this.#emulator !== undefined && this.#left > 0;) {
      this.#resize();
      const { written, took } = writeFor(
        this.#emulator,
        bytes.subarray(at, at + this.#getStepLimit()),
        SLICE_MS,
      );
      this.#left -= took;
      this.#offset += written;
      at += written;
      this.#answer(this.#offset);
      // Leaves the same time for everything else.
      if (took > SLICE_MS) await delay(took);
      else await this.#yield(written);
      this.#slice = nextSlice(this.#slice, took);
    }
  }

  /** Returns how much may be written before a resize, a query, or a yield. */
  #getStepLimit(): number {
    let reach = this.#slice;
    for (const { offset } of [...this.#marks, ...this.#terminal.queries]) {
      if (offset > this.#offset) reach = Math.min(reach, offset - this.#offset);
    }
    return reach;
  }

  #resize(): void {
    const mark = this.#marks.findLast(({ offset }) => offset <= this.#offset);
    if (mark !== undefined) this.#emulator?.resize(mark.cols, mark.rows);
  }

  /** Answers queries up to an offset. The screen may be past a query, never before it. */
  #answer(upTo: number): void {
    for (const { offset, text } of this.#terminal.queries) {
      if (offset > upTo || this.#emulator === undefined) return;
      this.#pool.answer(this.#terminal, offset, Buffer.from(this.#emulator.query(text)));
    }
  }

  async #yield(written: number): Promise<void> {
    this.#written += written;
    if (this.#written < this.#slice) return;
    this.#written = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

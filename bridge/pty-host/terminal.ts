// Owns one terminal: its process while it runs, its retained bytes, its one reader. The bridge
// describes the terminal in `meta`, stored here unread.

import { compact } from "../../protocol/compact.ts";
import type {
  Fetch,
  Read,
  Retain,
  ScreenRequest,
  ScreenState,
  Spawn,
  TerminalState,
} from "../../protocol/host.ts";
import { HISTORY_BYTES } from "../../protocol/limits.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { FrontGroup } from "./terminal-reports.ts";
import { ActivityReports, ProgramTitle, TitleReports } from "./terminal-reports.ts";
import type { Log } from "./log.ts";
import type { Outlet } from "./connection.ts";
import { Pty } from "./pty.ts";
import { ReaderSlot } from "./reader-slot.ts";
import type { FinishedTerminal } from "./ring.ts";
import { canCut, Ring } from "./ring.ts";
import { findGroups } from "../process-groups.ts";
import { OutputWatcher } from "./output-watcher.ts";

type Process =
  | { readonly state: "running"; readonly pty: Pty }
  | { readonly state: "ended"; readonly exit: Exit; readonly at: number };

export class Terminal {
  readonly handle: number;
  readonly id: string;
  readonly ring = new Ring();
  readonly #epoch: number;
  readonly #retain: Retain | undefined;
  readonly #pid: number;
  readonly #log: Log;
  readonly #onEnded: () => void;
  readonly #activity: ActivityReports;
  readonly #reader: ReaderSlot;
  readonly #watcher: OutputWatcher;
  readonly #titleReports: TitleReports;
  readonly #programTitle: ProgramTitle;
  #process: Process;
  #cols: number;
  #rows: number;
  #meta: Readonly<Record<string, unknown>>;
  #cut = false;
  #checkpoint: Uint8Array | undefined;

  /** Throws if the process cannot be started. */
  constructor(handle: number, epoch: number, spawn: Spawn, log: Log, ended: () => void) {
    this.handle = handle;
    this.id = spawn.id;
    this.#epoch = epoch;
    this.#cols = spawn.cols;
    this.#rows = spawn.rows;
    this.#meta = spawn.meta;
    this.#retain = spawn.retain;
    this.#onEnded = ended;
    this.#log = (event, details) => log(event, { terminal: spawn.id, ...details });
    this.#activity = new ActivityReports(() =>
      this.#reader.outlet?.activity(handle, this.ring.end),
    );
    this.#reader = new ReaderSlot(handle, this.ring, {
      setPaused: (held) => {
        if (this.#process.state === "running") this.#process.pty.setPaused(held);
      },
      onDue: () => this.pump(),
    });
    this.#watcher = new OutputWatcher(spawn.cols, spawn.rows, {
      onQuery: (query) => this.#reader.outlet?.query(handle, query),
      log: this.#log,
    });
    // A bridge that connects later gets the title with the terminal's state.
    this.#titleReports = new TitleReports(
      (title) => this.#reader.outlet?.title(handle, title) ?? true,
    );
    this.#programTitle = new ProgramTitle({
      findFront: () => this.#findFront(),
      changed: (title) => this.#titleReports.update(title),
    });
    const events = {
      onBytes: (chunk: Buffer) => this.#bytes(chunk),
      onExited: (exit: Exit) => this.#exited(exit),
    };
    const pty = new Pty(spawn, events, this.#log);
    this.#pid = pty.pid;
    this.#process = { state: "running", pty };
    this.#log("spawned", { handle, pid: pty.pid, file: spawn.file });
  }

  get running(): boolean {
    return this.#process.state === "running";
  }

  /** Returns the data for retention; undefined while the process runs. */
  get finished(): FinishedTerminal | undefined {
    if (this.#process.state === "running") return undefined;
    const owed = this.#reader.hasUnsent && !this.#cut;
    const pinned = this.#retain?.untilForgotten === true;
    return { handle: this.handle, endedAt: this.#process.at, hasUnsent: owed, isKept: pinned };
  }

  state(request?: number): TerminalState {
    return {
      id: this.id,
      ...compact({ request }),
      pid: this.#pid,
      epoch: this.#epoch,
      cols: this.#cols,
      rows: this.#rows,
      first: this.ring.first,
      end: this.ring.end,
      exit: this.#process.state === "ended" ? this.#process.exit : null,
      meta: this.#meta,
      ...(this.#programTitle.current === "" ? {} : { title: this.#programTitle.current }),
    };
  }

  setMeta(meta: Readonly<Record<string, unknown>>): void {
    this.#meta = meta;
  }

  /** Connects a bridge, or with undefined disconnects it. */
  connect(outlet: Outlet | undefined): void {
    this.#reader.connect(outlet);
    for (const query of this.#watcher.queries) outlet?.query(this.handle, query);
  }

  /** Returns what a screen needs beside the bytes. */
  screen({ request, since }: ScreenRequest): ScreenState {
    const { first, end } = this.ring;
    this.#watcher.trim(first);
    return { request, first, end, marks: this.#watcher.marks(since) };
  }

  /** Returns the bridge's checkpoint, unread. */
  get checkpoint(): Uint8Array | undefined {
    return this.#checkpoint;
  }

  setCheckpoint(payload: Uint8Array): void {
    this.#checkpoint = payload;
  }

  /** Writes an answer, unless its query has been answered before. */
  answer(upTo: number, bytes: Uint8Array): void {
    if (!this.#watcher.markAnswered(upTo) || this.#process.state !== "running") return;
    this.#process.pty.write(bytes);
  }

  read(read: Read): void {
    this.#reader.start(read);
    this.pump();
  }

  credit(offset: number): void {
    this.#reader.extend(offset);
    this.pump();
  }

  unread(): void {
    this.#reader.stop();
    this.#reader.applyPause();
    this.cutIfDue();
  }

  pump(): void {
    this.#reader.pump(!this.running);
    this.cutIfDue();
  }

  /** Returns the range of retained bytes that a fetch gets. */
  range(fetch: Fetch): { readonly from: number; readonly to: number } {
    const { first, end } = this.ring;
    const from = Math.min(end, Math.max(fetch.from, first, end - fetch.most));
    return { from, to: Math.max(from, Math.min(end, fetch.to ?? end)) };
  }

  input(bytes: Uint8Array): void {
    if (this.#process.state !== "running") return;
    this.#process.pty.write(bytes);
    this.#activity.touch();
  }

  resize(cols: number, rows: number): void {
    if (this.#process.state !== "running") return;
    this.#process.pty.resize(cols, rows);
    this.#cols = cols;
    this.#rows = rows;
    this.#watcher.onResized(this.ring.end, cols, rows);
  }

  signal(name: string): void {
    if (this.#process.state === "running") this.#process.pty.signal(name);
  }

  /** Cuts the buffer of a finished terminal once no reader can need more than its history. */
  cutIfDue(): void {
    if (this.#process.state === "running" || this.#cut) return;
    if (!canCut(this.#reader.claim(this.#process.at), performance.now())) return;
    this.#cut = true;
    this.ring.keepLast(this.#retain?.bytes ?? HISTORY_BYTES);
  }

  /** Stops all timers when the terminal is dropped. */
  close(): void {
    this.#reader.close();
    this.#activity.close();
    this.#programTitle.close();
    this.#titleReports.close();
  }

  #bytes(chunk: Buffer): void {
    this.#watcher.onBytes(chunk, this.ring.end);
    this.#programTitle.set(this.#watcher.title, this.#watcher.titlesSet);
    this.#titleReports.update(this.#programTitle.current);
    this.ring.append(chunk);
    this.#reader.pump(false);
    this.#activity.touch();
  }

  #findFront(): FrontGroup | undefined {
    const groups = findGroups(this.#pid);
    if (groups === undefined || groups.foreground <= 0) return undefined;
    return { front: groups.foreground, first: groups.own };
  }

  #exited(exit: Exit): void {
    this.#process = { state: "ended", exit, at: performance.now() };
    this.#log("exited", { ...exit, end: this.ring.end });
    this.#programTitle.close();
    this.#titleReports.close();
    this.#reader.pump(true);
    this.#reader.outlet?.exited(this.handle, exit, this.ring.end);
    this.cutIfDue();
    this.#onEnded();
  }
}

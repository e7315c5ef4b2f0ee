// Owns one terminal: its process while it runs, its retained bytes, its one reader.
// What the terminal is for is the bridge's `meta`, kept here unread.

import type { Fetch, Read, Spawn, TerminalState } from "../../protocol/host.ts";
import { HISTORY_BYTES } from "../../protocol/limits.ts";
import type { Exit } from "../../protocol/terminal.ts";
import { ActivityMarks } from "./activity.ts";
import type { Log } from "./log.ts";
import type { Outlet } from "./outlet.ts";
import { Pty } from "./pty.ts";
import { Reader } from "./reader.ts";
import { mayCut } from "./retention.ts";
import type { Finished } from "./retention.ts";
import { Ring } from "./ring.ts";

type Process =
  | { readonly state: "running"; readonly pty: Pty }
  | { readonly state: "ended"; readonly exit: Exit; readonly at: number };

export class Terminal {
  readonly handle: number;
  readonly id: string;
  readonly ring = new Ring();
  readonly #epoch: number;
  readonly #pid: number;
  readonly #log: Log;
  readonly #ended: () => void;
  readonly #marks = new ActivityMarks(() => this.#outlet?.activity(this.handle, this.ring.end));
  #process: Process;
  #cols: number;
  #rows: number;
  #meta: Readonly<Record<string, unknown>>;
  #outlet: Outlet | undefined;
  #outletSince = 0;
  #reader: Reader | undefined;
  #declined = false;
  #cut = false;
  #leaseTimer: NodeJS.Timeout | undefined;

  /** Throws if the process cannot be started. */
  constructor(handle: number, epoch: number, spawn: Spawn, log: Log, ended: () => void) {
    this.handle = handle;
    this.id = spawn.id;
    this.#epoch = epoch;
    this.#cols = spawn.cols;
    this.#rows = spawn.rows;
    this.#meta = spawn.meta;
    this.#ended = ended;
    this.#log = (event, details) => log(event, { terminal: spawn.id, ...details });
    const events = {
      bytes: (chunk: Uint8Array) => this.#bytes(chunk),
      exited: (exit: Exit) => this.#exited(exit),
    };
    const pty = new Pty(spawn, events, this.#log);
    this.#pid = pty.pid;
    this.#process = { state: "running", pty };
    this.#log("spawned", { handle, pid: pty.pid, file: spawn.file });
  }

  get running(): boolean {
    return this.#process.state === "running";
  }

  /** What retention goes by; undefined while the process runs. */
  get finished(): Finished | undefined {
    if (this.#process.state === "running") return undefined;
    const owed = this.#reader !== undefined && !this.#reader.delivered && !this.#cut;
    return { handle: this.handle, endedAt: this.#process.at, owed };
  }

  state(request?: number): TerminalState {
    return {
      id: this.id,
      ...(request === undefined ? {} : { request }),
      pid: this.#pid,
      epoch: this.#epoch,
      cols: this.#cols,
      rows: this.#rows,
      first: this.ring.first,
      end: this.ring.end,
      exit: this.#process.state === "ended" ? this.#process.exit : null,
      meta: this.#meta,
    };
  }

  setMeta(meta: Readonly<Record<string, unknown>>): void {
    this.#meta = meta;
  }

  /** A bridge came or went. Its reader goes with it, and so does any hold. */
  connect(outlet: Outlet | undefined): void {
    this.#dropReader();
    this.#declined = false;
    this.#outlet = outlet;
    this.#outletSince = performance.now();
    this.#applyHold();
  }

  read(read: Read): void {
    if (this.#outlet === undefined) return;
    this.#dropReader();
    this.#declined = false;
    this.#reader = new Reader(this.handle, this.ring, this.#outlet, read, () => this.pump());
    this.pump();
  }

  credit(offset: number): void {
    this.#reader?.extend(offset);
    this.pump();
  }

  unread(): void {
    this.#dropReader();
    this.#declined = true;
    this.pump();
  }

  /** Sends what may leave, then sees whether the program must wait. */
  pump(): void {
    this.#reader?.pump(!this.running);
    this.#applyHold();
    this.settle();
  }

  /** The range of retained bytes that a fetch gets. */
  range(fetch: Fetch): { readonly from: number; readonly to: number } {
    const to = this.ring.end;
    return { from: Math.min(to, Math.max(fetch.from, this.ring.first, to - fetch.most)), to };
  }

  input(bytes: Uint8Array): void {
    if (this.#process.state !== "running") return;
    this.#process.pty.write(bytes);
    this.#marks.touch();
  }

  resize(cols: number, rows: number): void {
    if (this.#process.state !== "running") return;
    this.#process.pty.resize(cols, rows);
    this.#cols = cols;
    this.#rows = rows;
  }

  signal(name: string): void {
    if (this.#process.state === "running") this.#process.pty.signal(name);
  }

  /** Cuts the buffer of a finished terminal once nobody has a claim to more than its history. */
  settle(): void {
    if (this.#process.state === "running" || this.#cut) return;
    const now = performance.now();
    const quietSince = Math.max(
      this.#process.at,
      this.#outletSince,
      this.#reader?.progressAt ?? -Infinity,
    );
    const delivered = this.#reader?.delivered ?? false;
    const connected = this.#outlet !== undefined;
    if (!mayCut({ connected, delivered, declined: this.#declined, quietSince }, now)) return;
    this.#cut = true;
    this.ring.keepLast(HISTORY_BYTES);
  }

  /** It is forgotten: no timer may outlive it. */
  close(): void {
    this.#dropReader();
    this.#marks.close();
    clearTimeout(this.#leaseTimer);
  }

  #bytes(chunk: Uint8Array): void {
    this.ring.append(chunk);
    if (this.#reader !== undefined) {
      this.#reader.pump(false);
      this.#applyHold();
    }
    this.#marks.touch();
  }

  #exited(exit: Exit): void {
    this.#process = { state: "ended", exit, at: performance.now() };
    this.#log("exited", { ...exit, end: this.ring.end });
    clearTimeout(this.#leaseTimer);
    this.#reader?.pump(true);
    this.#outlet?.exited(this.handle, exit, this.ring.end);
    this.settle();
    this.#ended();
  }

  #dropReader(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }

  #applyHold(): void {
    if (this.#process.state !== "running") return;
    const hold = this.#reader?.hold(performance.now()) ?? { held: false };
    this.#process.pty.hold(hold.held);
    if (!hold.held || this.#leaseTimer !== undefined) return;
    // Looked at anew when it fires: credit may have renewed the lease meanwhile.
    this.#leaseTimer = setTimeout(() => {
      this.#leaseTimer = undefined;
      this.#applyHold();
    }, Math.ceil(hold.forMs));
  }
}

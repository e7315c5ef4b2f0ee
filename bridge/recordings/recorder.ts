// Owns one running recording: writes a terminal's bytes, sizes and markers as lines of its file.
// Never slows the terminal down: if the disk does not keep up, it pauses its reader and later
// continues with the retained bytes, or from the screen if they are gone. Also owns the markers of
// approvals in recordings; masks secrets like the audit log.

import { constants } from "node:os";
import { StringDecoder } from "node:string_decoder";
import type { Approval, ApprovalSettled } from "../../protocol/approval.ts";
import type { CastCode } from "../../protocol/asciicast.ts";
import { encodeCastEvent } from "../../protocol/asciicast.ts";
import type { Gap } from "../../protocol/host.ts";
import { MiB } from "../../protocol/limits.ts";
import { displayName, grantName } from "../../protocol/names.ts";
import type { Output } from "../../protocol/output.ts";
import type { Exit } from "../../protocol/terminal.ts";
import { maskText, maskValue } from "../secrets/mask.ts";
import type { Reader } from "../terminals/readers.ts";
import type { CastFile } from "./cast-file.ts";

/** Maximum bytes waiting for the disk; beyond this the reader is parked until they are written. */
const MAX_PENDING = 4 * MiB;

/** A recorder does not pace the program. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

const CLEAR = "\u001Bc";
const MAX_MARKER_CHARS = 300;

/** The terminal's bytes, as for one reader. */
export interface RecordingSource {
  read(reader: Reader, from: number, credit: number): void;
  park(reader: Reader, from: number): void;
  /** Stops the reader, so that it no longer delays the terminal's `closed`. */
  unread(reader: Reader): void;
}

/** Content of a screen at an offset. */
export interface ScreenSnapshot {
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  readonly data: string;
}

export interface RecorderDeps {
  readonly source: RecordingSource;
  readonly takeSnapshot: () => Promise<ScreenSnapshot>;
  readonly now: () => number;
  /** Fires once when the recording ended on its own. */
  readonly onEnded: (why: EndReason) => void;
}

export type EndReason = "limit" | "disk" | "exit" | "screen";

export class Recorder implements Reader {
  readonly #file: Pick<CastFile, "append" | "close" | "pending">;
  readonly #deps: RecorderDeps;
  readonly #decoder = new StringDecoder();
  /** Time of the last event. */
  #clock: number;
  #at = 0;
  #state: "starting" | "reading" | "parked" | "over" = "starting";
  #exit: { readonly exit: Exit; readonly end: number } | undefined;

  /** Starts the clock; `quietMs` is the age of the file's last event. */
  constructor(
    file: Pick<CastFile, "append" | "close" | "pending">,
    deps: RecorderDeps,
    quietMs = 0,
  ) {
    this.#file = file;
    this.#deps = deps;
    this.#clock = deps.now() - quietMs;
  }

  /** Starts a new recording with the current screen. */
  start({ data, offset }: Pick<ScreenSnapshot, "data" | "offset">): void {
    const now = this.#deps.now();
    this.#clock = now;
    // At time zero, where a player starts.
    this.#write("o", data, now);
    this.#read(offset);
  }

  /** Restarts from the screen, because the output before it is lost. */
  async restart(why: string): Promise<void> {
    if (this.#state === "over") return;
    this.#state = "starting";
    try {
      const { cols, rows, data, offset } = await this.#deps.takeSnapshot();
      if (this.isOver) return;
      this.mark(why);
      this.#write("r", `${cols}x${rows}`);
      this.#write("o", CLEAR + data);
      this.#read(offset);
    } catch {
      // The terminal or its host is gone.
      this.end("screen");
    }
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  onResized(cols: number, rows: number): void {
    this.#write("r", `${cols}x${rows}`);
  }

  mark(text: string): void {
    const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
    this.#write(
      "m",
      plain.length > MAX_MARKER_CHARS ? `${plain.slice(0, MAX_MARKER_CHARS)}…` : plain,
    );
  }

  onOutput({ offset, body }: Output): void {
    if (this.#state !== "reading") return;
    const known = this.#at - offset;
    if (known < 0 || known >= body.length) return;
    const fresh = known === 0 ? body : body.subarray(known);
    this.#at += fresh.length;
    const text = this.#decoder.write(toBuffer(fresh));
    if (text !== "") this.#write("o", text);
    if (this.#state === "reading" && this.#file.pending > MAX_PENDING) {
      this.#state = "parked";
      this.#deps.source.park(this, this.#at);
    }
    this.#finishWhenDrained();
  }

  onGap({ to }: Gap): void {
    if (this.#state !== "reading" || to <= this.#at) return;
    this.#deps.source.park(this, to);
    void this.restart(`${to - this.#at} bytes were printed too fast to be recorded`);
  }

  onExited(exit: Exit, end: number): void {
    this.#exit = { exit, end };
    this.#finishWhenDrained();
  }

  /** Continues after the file has written everything. */
  onDrained(): void {
    if (this.#state === "parked") this.#read(this.#at);
  }

  /** Ends on its own: writes the last event and notifies the owner. */
  end(why: EndReason): void {
    if (this.isOver) return;
    if (why === "limit") this.#writeLast("m", "the recording has reached its limit");
    this.#deps.onEnded(this.close() ? why : "disk");
  }

  /** Closes the recording; returns false if the disk did not take everything. */
  close(): boolean {
    if (this.isOver) return true;
    this.#state = "over";
    const isWhole = this.#file.close();
    this.#deps.source.unread(this);
    return isWhole;
  }

  #read(from: number): void {
    this.#at = from;
    this.#state = "reading";
    this.#deps.source.read(this, from, NO_LIMIT);
    this.#finishWhenDrained();
  }

  #write(code: CastCode, data: string, now?: number): void {
    if (this.isOver) return;
    if (!this.#file.append(this.#line(code, data, now))) this.end("limit");
  }

  #writeLast(code: CastCode, data: string): void {
    this.#file.append(this.#line(code, data), true);
  }

  /** Returns an event line, timed from the last rounded time so that errors do not add up. */
  #line(code: CastCode, data: string, now = this.#deps.now()): string {
    const elapsed = Math.max(0, Math.round(now - this.#clock));
    this.#clock += elapsed;
    return encodeCastEvent(elapsed, code, data);
  }

  #finishWhenDrained(): void {
    if (this.#state !== "reading" || this.#exit === undefined || this.#at < this.#exit.end) return;
    this.#writeLast("x", String(toExitStatus(this.#exit.exit)));
    this.end("exit");
  }
}

/** Returns the exit status as in shells: 128 plus the signal's number. */
function toExitStatus({ exitCode, signal }: Exit): number {
  if (exitCode !== null) return exitCode;
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
  return number === undefined ? 1 : 128 + number;
}

function toBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

interface RequestedEvent {
  readonly type: "approval:requested";
  readonly approval: Pick<Approval, "agent" | "command">;
}

export function formatApprovalMarker(event: RequestedEvent | ApprovalSettled): string {
  if (event.type === "approval:requested") {
    const { agent, command } = event.approval;
    // Masks word by word first: in the joined line, the end of a secret with a space is lost.
    const line = maskText([maskValue(command)].flat().join(" "));
    return `${grantName(agent)} asks: ${line}`;
  }
  const { outcome, by, reason } = event;
  const who = by === undefined ? "" : ` by ${displayName(by)}`;
  return `${outcome}${who}${reason === undefined ? "" : `: ${maskText(reason)}`}`;
}

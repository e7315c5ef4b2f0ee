// Owns the recordings of a workspace: permission to start and stop one, notices, markers, and
// continuing those that an earlier bridge left running. The recorders themselves are in running-recordings.ts.

import { encodeCastHeader } from "../../protocol/asciicast.ts";
import type { ErrorCode } from "../../protocol/codes.ts";
import { MiB } from "../../protocol/limits.ts";
import type { RecordingRow } from "../../protocol/http.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Caller } from "../callers/caller.ts";
import { callerDisplayName, toAuditName } from "../callers/caller.ts";
import { DisposableStore } from "../disposable-store.ts";
import { errorMessage, findSystemCode } from "../errors.ts";
import type { Log } from "../log.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { Meta, PoolTerminal } from "../terminals/terminal.ts";
import { ReplacedFileError, CastFile } from "./cast-file.ts";
import { RecordingLibrary, MAX_RECORDINGS } from "./recording-library.ts";
import { END_MESSAGES, formatTitle } from "./recording-texts.ts";
import type { RunningRecording } from "./running-recordings.ts";
import { RunningRecordings } from "./running-recordings.ts";
import type { EndReason, ScreenSnapshot } from "./recorder.ts";
import { SerialQueue } from "../reading/serial-queue.ts";

/** Limit for all recordings of a workspace; beyond it, some have to be deleted. */
export const MAX_TOTAL_BYTES = 1_024 * MiB;
export const MAX_RUNNING = 8;

/** Sent to all callers that see the terminal. */
export interface RecordingNotice {
  readonly id: string;
  readonly on: boolean;
  /** The person who started or stopped it; absent if it ended on its own. */
  readonly by?: string;
  /** Present if it ended on its own. */
  readonly why?: string;
}

export interface RecordingsDeps {
  readonly pool: Pick<
    TerminalPool,
    | "announceClosed"
    | "get"
    | "updateMeta"
    | "onEvent"
    | "onSize"
    | "park"
    | "read"
    | "running"
    | "unread"
  >;
  readonly takeSnapshot: (terminal: PoolTerminal) => Promise<ScreenSnapshot>;
  readonly getDenialReason: (caller: Caller, act: "change") => string | undefined;
  readonly notify: (terminal: PoolTerminal, notice: RecordingNotice) => void;
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Pick<Log, "error" | "info">;
  readonly folder: string;
  /** Size limit of one recording. */
  readonly maxBytes: number;
  readonly now?: () => number;
}

interface Refusal {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly error: string;
}

interface StartedRecording {
  readonly ok: true;
  /** Path of its file. */
  readonly path: string;
}

type StoredRecording = NonNullable<Meta["recording"]>;

export class Recordings {
  readonly #deps: RecordingsDeps;
  readonly #library: RecordingLibrary;
  readonly #now: () => number;
  readonly #running: RunningRecordings;
  readonly #starting = new Set<string>();
  readonly #queues = new SerialQueue();
  readonly #disposables = new DisposableStore();

  constructor(deps: RecordingsDeps) {
    this.#deps = deps;
    this.#library = new RecordingLibrary(deps.folder);
    this.#now = deps.now ?? Date.now;
    this.#running = new RunningRecordings({ ...deps, now: this.#now }, (running, why) =>
      this.#onEnded(running, why),
    );
    this.#disposables.add(
      deps.pool.onSize(({ id, cols, rows }) =>
        this.#running.get(id)?.recorder.onResized(cols, rows),
      ),
      // The pty host is gone, without a last byte.
      deps.pool.onEvent(({ event, terminal }) => {
        if (event === "closed") this.#running.get(terminal.id)?.recorder.end("screen");
      }),
    );
    for (const terminal of deps.pool.running()) {
      if (terminal.meta.recording !== undefined)
        this.#continueRecording(terminal, terminal.meta.recording);
    }
  }

  /** Starts a recording, after earlier requests for the same terminal. */
  async start(
    caller: Caller,
    terminal: PoolTerminal,
    out?: string,
  ): Promise<Refusal | StartedRecording> {
    return await this.#queues.run(() => this.#start(caller, terminal, out), terminal.id);
  }

  async stop(caller: Caller, terminal: PoolTerminal): Promise<Refusal | StartedRecording> {
    return await this.#queues.run(() => this.#stop(caller, terminal), terminal.id);
  }

  /** Lists the recordings in the workspace's own folder, newest first. */
  list(): RecordingRow[] {
    const running = this.#running.paths();
    return this.#library.list((path) => running.has(path));
  }

  /** Returns the path of its file. */
  find(id: string): string | undefined {
    return this.#library.find(id);
  }

  remove(caller: Caller, id: string): Refusal | undefined {
    const path = this.#library.find(id);
    if (path === undefined) return refuse("not_found", `There is no recording ${id}`);
    if (this.#running.paths().has(path)) {
      return refuse("bad_request", "It is still running; stop it first");
    }
    this.#library.remove(id);
    this.#deps.audit.write({ event: "recording removed", ...toAuditName(caller), outcome: id });
    return undefined;
  }

  /** Marks who is typing. Hot path (every keystroke): cheap while nothing is recorded. */
  onTyping(caller: Caller, { id }: PoolTerminal, grant?: Grant): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    const name = callerDisplayName(caller, grant);
    if (running.typist === name) return;
    running.typist = name;
    running.recorder.mark(`${name} is typing`);
  }

  /** Adds a marker to all running recordings, such as an agent's approval. */
  mark(text: string): void {
    for (const { recorder } of this.#running.all()) recorder.mark(text);
  }

  /** Closes the running recordings, which the next bridge continues. */
  dispose(): void {
    this.#disposables.dispose();
    this.#running.closeAll();
  }

  async #start(
    caller: Caller,
    terminal: PoolTerminal,
    out?: string,
  ): Promise<Refusal | StartedRecording> {
    const refused = this.#checkStart(caller, terminal);
    if (refused !== undefined) return refused;
    this.#starting.add(terminal.id);
    try {
      const still = await this.#deps.takeSnapshot(terminal);
      // Checks again: the caller may have lost the right meanwhile.
      const late = this.#deps.getDenialReason(caller, "change");
      if (late !== undefined) return refuse("forbidden", late);
      return this.#createAndStart(caller, terminal, still, out);
    } finally {
      this.#starting.delete(terminal.id);
    }
  }

  #stop(caller: Caller, terminal: PoolTerminal): Refusal | StartedRecording {
    const error = this.#deps.getDenialReason(caller, "change");
    if (error !== undefined) return refuse("forbidden", error);
    const running = this.#running.get(terminal.id);
    if (running === undefined) return refuse("bad_request", "This terminal is not being recorded");
    const isWhole = running.recorder.close();
    this.#onStopped(
      running,
      isWhole ? { by: callerDisplayName(caller) } : { why: END_MESSAGES.disk },
    );
    this.#audit(caller, "recording stopped", terminal, running.path);
    return { ok: true, path: running.path };
  }

  #checkStart(caller: Caller, terminal: PoolTerminal): Refusal | undefined {
    const error = this.#deps.getDenialReason(caller, "change");
    if (error !== undefined) return refuse("forbidden", error);
    if (terminal.life.state !== "running") return refuse("bad_request", "This terminal has ended");
    if (this.#running.get(terminal.id) !== undefined || this.#starting.has(terminal.id)) {
      return refuse("bad_request", "This terminal is already being recorded");
    }
    if (this.#running.size + this.#starting.size >= MAX_RUNNING) {
      return refuse("too_many", `${MAX_RUNNING} terminals are being recorded; stop one first`);
    }
    if (this.#library.count >= MAX_RECORDINGS) {
      return refuse("too_many", `There are ${MAX_RECORDINGS} recordings; delete some first`);
    }
    if (this.#getReservedBytes() + this.#deps.maxBytes > MAX_TOTAL_BYTES) {
      const most = `${MAX_TOTAL_BYTES / MiB} MiB`;
      return refuse("too_many", `Recordings may take ${most} in total; delete some first`);
    }
    return undefined;
  }

  /** Returns the bytes used, plus the full limit of every running or starting recording. */
  #getReservedBytes(): number {
    const growing = this.#running.size + this.#starting.size;
    const ended = this.#library.sizeWithout(this.#running.paths());
    return ended + growing * this.#deps.maxBytes;
  }

  #createAndStart(
    caller: Caller,
    terminal: PoolTerminal,
    still: ScreenSnapshot,
    out: string | undefined,
  ): Refusal | StartedRecording {
    const since = this.#now();
    const header = encodeCastHeader({ ...still, startedAt: since, title: formatTitle(terminal) });
    let path = out ?? this.#deps.folder;
    let running: RunningRecording;
    try {
      path = out ?? this.#library.createPath(since).path;
      running = this.#running.open(terminal, path, (events) => ({
        file: CastFile.create(path, header, this.#deps.maxBytes, events),
        quietMs: 0,
      }));
    } catch (error) {
      const code = findSystemCode(error);
      if (code === undefined) throw error;
      const why = code === "EEXIST" ? "it already exists" : code;
      return refuse("bad_request", `Cannot create ${path}: ${why}`);
    }
    const by = callerDisplayName(caller);
    this.#deps.pool.updateMeta(terminal, { recording: { path, by, since, file: running.file } });
    this.#deps.notify(terminal, { id: terminal.id, on: true, by });
    this.#audit(caller, "recording started", terminal, path);
    running.recorder.start(still);
    return { ok: true, path };
  }

  /** Continues a recording of an earlier bridge. */
  #continueRecording(terminal: PoolTerminal, { path, file }: StoredRecording): void {
    try {
      const running = this.#running.open(terminal, path, (events) =>
        CastFile.reopen(path, file, this.#deps.maxBytes, events),
      );
      const why = "pairpty was restarted; output from in between is not recorded";
      void running.recorder.restart(why);
    } catch (error) {
      if (!(error instanceof ReplacedFileError) && findSystemCode(error) === undefined) throw error;
      const why = `cannot continue: ${errorMessage(error)}`;
      this.#deps.log.error(`the recording ${path} ${why}`);
      const outcome = `${path}: it ${why}`;
      this.#deps.audit.write({ event: "recording ended", terminal: terminal.id, outcome });
      this.#deps.pool.updateMeta(terminal, { recording: undefined });
    }
  }

  #onEnded(running: RunningRecording, why: EndReason): void {
    this.#onStopped(running, why === "exit" ? {} : { why: END_MESSAGES[why] });
    if (why === "exit") return;
    const { terminal, path } = running;
    this.#deps.audit.write({
      event: "recording ended",
      terminal: terminal.id,
      outcome: `${path}: ${END_MESSAGES[why]}`,
    });
  }

  #onStopped({ terminal }: RunningRecording, notice: Pick<RecordingNotice, "by" | "why">): void {
    this.#running.delete(terminal.id);
    this.#deps.pool.updateMeta(terminal, { recording: undefined });
    this.#deps.notify(terminal, { id: terminal.id, on: false, ...notice });
  }

  #audit(caller: Caller, event: string, { id }: PoolTerminal, path: string): void {
    this.#deps.audit.write({ event, ...toAuditName(caller), terminal: id, outcome: path });
  }
}

function refuse(code: ErrorCode, error: string): Refusal {
  return { ok: false, code, error };
}

// Owns the recordings of a workspace: permission to start and stop one, notices, markers, and
// continuing those that an earlier bridge left running.

import { basename } from "node:path";
import { castHeader } from "../../protocol/asciicast.ts";
import type { ErrorCode } from "../../protocol/codes.ts";
import { MiB } from "../../protocol/limits.ts";
import type { RecordingRow } from "../../protocol/recordings.ts";
import type { AuditLog } from "../audit/log.ts";
import type { Caller } from "../callers/caller.ts";
import { calledOf, who } from "../callers/caller.ts";
import { Ends } from "../ends.ts";
import { messageOf, systemCode } from "../errors.ts";
import type { Log } from "../log.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { Meta, PoolTerminal } from "../terminals/terminal.ts";
import type { FileEvents } from "./cast-file.ts";
import { AnotherFile, CastFile } from "./cast-file.ts";
import { Library, MOST_KEPT } from "./library.ts";
import type { EndReason, Still } from "./recorder.ts";
import { Recorder } from "./recorder.ts";
import { Turns } from "./turns.ts";

/** Limit for all recordings of a workspace; beyond it, some have to be deleted. */
export const MOST_RECORDED = 1_024 * MiB;
export const MOST_AT_ONCE = 8;

/** Sent to all callers that see the terminal. */
export interface RecordingNews {
  readonly id: string;
  readonly on: boolean;
  /** The person who started or stopped it; absent if it ended on its own. */
  readonly by?: string;
  /** Present if it ended on its own. */
  readonly why?: string;
}

export interface RecordingsParts {
  readonly pool: Pick<
    TerminalPool,
    | "announceClosed"
    | "get"
    | "note"
    | "onEvent"
    | "onSize"
    | "park"
    | "read"
    | "running"
    | "unread"
  >;
  readonly still: (terminal: PoolTerminal) => Promise<Still>;
  readonly whyNot: (caller: Caller, act: "change") => string | undefined;
  readonly tell: (terminal: PoolTerminal, news: RecordingNews) => void;
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Pick<Log, "error" | "info">;
  readonly folder: string;
  /** Size limit of one recording. */
  readonly mostBytes: number;
  readonly now?: () => number;
}

interface Refused {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly error: string;
}

interface Done {
  readonly ok: true;
  /** Path of its file. */
  readonly path: string;
}

type Kept = NonNullable<Meta["recording"]>;

interface Running {
  readonly terminal: PoolTerminal;
  readonly path: string;
  /** Identity of its file, for the next bridge. */
  readonly file: string;
  readonly recorder: Recorder;
  /** Display name in the last marker about typing. */
  typist: string | undefined;
}

const WHY: Readonly<Record<Exclude<EndReason, "exit">, string>> = {
  limit: "it reached its limit",
  disk: "pairpty cannot write its file",
  screen: "the terminal's screen is not available",
};

export class Recordings {
  readonly #parts: RecordingsParts;
  readonly #library: Library;
  readonly #now: () => number;
  readonly #running = new Map<string, Running>();
  readonly #starting = new Set<string>();
  readonly #turns = new Turns();
  readonly #ends = new Ends();

  constructor(parts: RecordingsParts) {
    this.#parts = parts;
    this.#library = new Library(parts.folder);
    this.#now = parts.now ?? Date.now;
    this.#ends.own(
      parts.pool.onSize(({ id, cols, rows }) =>
        this.#running.get(id)?.recorder.resized(cols, rows),
      ),
      // The pty host is gone, without a last byte.
      parts.pool.onEvent(({ event, terminal }) => {
        if (event === "closed") this.#running.get(terminal.id)?.recorder.end("screen");
      }),
    );
    for (const terminal of parts.pool.running()) {
      if (terminal.meta.recording !== undefined) this.#goOn(terminal, terminal.meta.recording);
    }
  }

  /** Starts a recording, after earlier requests for the same terminal. */
  async start(caller: Caller, terminal: PoolTerminal, out?: string): Promise<Refused | Done> {
    return await this.#turns.take(terminal.id, () => this.#start(caller, terminal, out));
  }

  async stop(caller: Caller, terminal: PoolTerminal): Promise<Refused | Done> {
    return await this.#turns.take(terminal.id, async () => this.#stop(caller, terminal));
  }

  /** Lists the recordings in the workspace's own folder, newest first. */
  list(): RecordingRow[] {
    const running = this.#paths();
    return this.#library.list((path) => running.has(path));
  }

  /** Returns the path of its file. */
  find(id: string): string | undefined {
    return this.#library.find(id);
  }

  remove(caller: Caller, id: string): Refused | undefined {
    const path = this.#library.find(id);
    if (path === undefined) return refuse("not_found", `There is no recording ${id}`);
    if (this.#paths().has(path)) {
      return refuse("bad_request", "It is still running; stop it first");
    }
    this.#library.remove(id);
    this.#parts.audit.write({ event: "recording removed", ...who(caller), outcome: id });
    return undefined;
  }

  /** Marks who is typing. Hot path (every keystroke): cheap while nothing is recorded. */
  typed(caller: Caller, { id }: PoolTerminal): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    const called = calledOf(caller);
    if (running.typist === called) return;
    running.typist = called;
    running.recorder.mark(`${called} is typing`);
  }

  /** Adds a marker to all running recordings, such as an agent's approval. */
  mark(text: string): void {
    for (const { recorder } of this.#running.values()) recorder.mark(text);
  }

  /** Closes the running recordings, which the next bridge continues. */
  dispose(): void {
    this.#ends.dispose();
    for (const { recorder } of this.#running.values()) recorder.close();
    this.#running.clear();
  }

  async #start(caller: Caller, terminal: PoolTerminal, out?: string): Promise<Refused | Done> {
    const refused = this.#whyNotStart(caller, terminal);
    if (refused !== undefined) return refused;
    this.#starting.add(terminal.id);
    try {
      const still = await this.#parts.still(terminal);
      // Checks again: the caller may have lost the right meanwhile.
      const late = this.#parts.whyNot(caller, "change");
      if (late !== undefined) return refuse("forbidden", late);
      return this.#begin(caller, terminal, still, out);
    } finally {
      this.#starting.delete(terminal.id);
    }
  }

  #stop(caller: Caller, terminal: PoolTerminal): Refused | Done {
    const error = this.#parts.whyNot(caller, "change");
    if (error !== undefined) return refuse("forbidden", error);
    const running = this.#running.get(terminal.id);
    if (running === undefined) return refuse("bad_request", "This terminal is not being recorded");
    const isWhole = running.recorder.close();
    this.#over(running, isWhole ? { by: calledOf(caller) } : { why: WHY.disk });
    this.#audit(caller, "recording stopped", terminal, running.path);
    return { ok: true, path: running.path };
  }

  #whyNotStart(caller: Caller, terminal: PoolTerminal): Refused | undefined {
    const error = this.#parts.whyNot(caller, "change");
    if (error !== undefined) return refuse("forbidden", error);
    if (terminal.life.state !== "running") return refuse("bad_request", "This terminal has ended");
    if (this.#running.has(terminal.id) || this.#starting.has(terminal.id)) {
      return refuse("bad_request", "This terminal is already being recorded");
    }
    if (this.#running.size + this.#starting.size >= MOST_AT_ONCE) {
      return refuse("too_many", `${MOST_AT_ONCE} terminals are being recorded; stop one first`);
    }
    if (this.#library.count >= MOST_KEPT) {
      return refuse("too_many", `There are ${MOST_KEPT} recordings; delete some first`);
    }
    if (this.#promised() + this.#parts.mostBytes > MOST_RECORDED) {
      const most = `${MOST_RECORDED / MiB} MiB`;
      return refuse("too_many", `Recordings may take ${most} in total; delete some first`);
    }
    return undefined;
  }

  /** Returns the bytes used, plus the full limit of every running or starting recording. */
  #promised(): number {
    const growing = this.#running.size + this.#starting.size;
    const ended = this.#library.sizeWithout(this.#paths());
    return ended + growing * this.#parts.mostBytes;
  }

  #paths(): ReadonlySet<string> {
    return new Set([...this.#running.values()].map(({ path }) => path));
  }

  #begin(
    caller: Caller,
    terminal: PoolTerminal,
    still: Still,
    out: string | undefined,
  ): Refused | Done {
    const since = this.#now();
    const header = castHeader({ ...still, startedAt: since, title: titleOf(terminal) });
    let path = out ?? this.#parts.folder;
    let running: Running;
    try {
      path = out ?? this.#library.newPlace(since).path;
      running = this.#run(terminal, path, (events) => ({
        file: CastFile.create(path, header, this.#parts.mostBytes, events),
        quietMs: 0,
      }));
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      const why = code === "EEXIST" ? "it already exists" : code;
      return refuse("bad_request", `Cannot create ${path}: ${why}`);
    }
    const by = calledOf(caller);
    this.#parts.pool.note(terminal, { recording: { path, by, since, file: running.file } });
    this.#parts.tell(terminal, { id: terminal.id, on: true, by });
    this.#audit(caller, "recording started", terminal, path);
    running.recorder.begin(still);
    return { ok: true, path };
  }

  /** Continues a recording of an earlier bridge. */
  #goOn(terminal: PoolTerminal, { path, file }: Kept): void {
    try {
      const running = this.#run(terminal, path, (events) =>
        CastFile.reopen(path, file, this.#parts.mostBytes, events),
      );
      const why = "pairpty was restarted; output from in between is not recorded";
      void running.recorder.beginAgain(why);
    } catch (error) {
      if (!(error instanceof AnotherFile) && systemCode(error) === undefined) throw error;
      const why = `cannot continue: ${messageOf(error)}`;
      this.#parts.log.error(`the recording ${path} ${why}`);
      const outcome = `${path}: it ${why}`;
      this.#parts.audit.write({ event: "recording ended", terminal: terminal.id, outcome });
      this.#parts.pool.note(terminal, { recording: undefined });
    }
  }

  #run(
    terminal: PoolTerminal,
    path: string,
    open: (events: FileEvents) => {
      readonly file: CastFile;
      readonly quietMs: number;
    },
  ): Running {
    const { pool, still } = this.#parts;
    let recorder: Recorder | undefined;
    const { file, quietMs } = open({
      drained: () => recorder?.drained(),
      failed: (error) => {
        this.#parts.log.error(`the recording ${path} cannot be written: ${messageOf(error)}`);
        recorder?.end("disk");
      },
    });
    recorder = new Recorder(
      file,
      {
        source: {
          read: (reader, from, credit) => pool.read(terminal, reader, from, credit),
          park: (reader, from) => pool.park(terminal, reader, from),
          unread: (reader) => {
            pool.unread(terminal, reader);
            if (terminal.life.state === "finished") pool.announceClosed(terminal);
          },
        },
        still: () => still(terminal),
        now: this.#now,
        ended: (why) => this.#ended(terminal.id, why),
      },
      quietMs,
    );
    const running: Running = { terminal, path, file: file.identity, recorder, typist: undefined };
    this.#running.set(terminal.id, running);
    return running;
  }

  #ended(id: string, why: EndReason): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#over(running, why === "exit" ? {} : { why: WHY[why] });
    if (why === "exit") return;
    const { terminal, path } = running;
    this.#parts.audit.write({
      event: "recording ended",
      terminal: terminal.id,
      outcome: `${path}: ${WHY[why]}`,
    });
  }

  #over({ terminal }: Running, news: Pick<RecordingNews, "by" | "why">): void {
    this.#running.delete(terminal.id);
    this.#parts.pool.note(terminal, { recording: undefined });
    this.#parts.tell(terminal, { id: terminal.id, on: false, ...news });
  }

  #audit(caller: Caller, event: string, { id }: PoolTerminal, path: string): void {
    this.#parts.audit.write({ event, ...who(caller), terminal: id, outcome: path });
  }
}

/** Returns the terminal's name, else its title with its number, since many have the same folder. */
function titleOf({ title, meta }: PoolTerminal): string {
  const { name, command, cwd, number } = meta;
  if (name !== undefined) return name;
  const own = command === undefined ? basename(cwd) || cwd : command.join(" ");
  return number === undefined ? title || own : `${title || own} #${number}`;
}

function refuse(code: ErrorCode, error: string): Refused {
  return { ok: false, code, error };
}

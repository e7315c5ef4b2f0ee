// Owns the recordings of a workspace: who may start and stop one, what is told of it, what is marked in
// it, and finding those again that a bridge before this one left running.

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

/** All of a workspace's together; then somebody has to remove some. */
export const MOST_RECORDED = 1_024 * MiB;
export const MOST_AT_ONCE = 8;

/** What everybody who sees the terminal is told. */
export interface RecordingNews {
  readonly id: string;
  readonly on: boolean;
  /** Who started it, or stopped it; absent where it ended by itself. */
  readonly by?: string;
  /** With an end by itself. */
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
  /** Of one recording. */
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
  /** Of its file. */
  readonly path: string;
}

type Kept = NonNullable<Meta["recording"]>;

interface Running {
  readonly terminal: PoolTerminal;
  readonly path: string;
  /** By which the next bridge knows it. */
  readonly file: string;
  readonly recorder: Recorder;
  /** Whom the last mark of it names as typing. */
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
      // With the pty host: there was no last byte.
      parts.pool.onEvent(({ event, terminal }) => {
        if (event === "closed") this.#running.get(terminal.id)?.recorder.end("screen");
      }),
    );
    for (const terminal of parts.pool.running()) {
      if (terminal.meta.recording !== undefined) this.#goOn(terminal, terminal.meta.recording);
    }
  }

  /** In turn with what was asked before of the same terminal. */
  async start(caller: Caller, terminal: PoolTerminal, out?: string): Promise<Refused | Done> {
    return await this.#turns.take(terminal.id, () => this.#start(caller, terminal, out));
  }

  async stop(caller: Caller, terminal: PoolTerminal): Promise<Refused | Done> {
    return await this.#turns.take(terminal.id, async () => this.#stop(caller, terminal));
  }

  /** Those in the workspace's own folder, newest first. */
  list(): RecordingRow[] {
    const running = this.#paths();
    return this.#library.list((path) => running.has(path));
  }

  /** Its file. */
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

  /** A person typed: with every key, so that it is cheap while nothing is recorded. */
  typed(caller: Caller, { id }: PoolTerminal): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    const called = calledOf(caller);
    if (running.typist === called) return;
    running.typist = called;
    running.recorder.mark(`${called} is typing`);
  }

  /** Something that everybody should find again, as an agent's question. */
  mark(text: string): void {
    for (const { recorder } of this.#running.values()) recorder.mark(text);
  }

  /** What runs is left to the next bridge, if there is one. */
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
      // Whoever lost the right meanwhile starts nothing.
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
      return refuse("bad_request", "This terminal is being recorded already");
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

  /** Bytes, with all that those which run or start may still grow to. */
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
      const why = code === "EEXIST" ? "it exists already" : code;
      return refuse("bad_request", `${path} cannot be made: ${why}`);
    }
    const by = calledOf(caller);
    this.#parts.pool.note(terminal, { recording: { path, by, since, file: running.file } });
    this.#parts.tell(terminal, { id: terminal.id, on: true, by });
    this.#audit(caller, "recording started", terminal, path);
    running.recorder.begin(still);
    return { ok: true, path };
  }

  /** Left by a bridge that is gone. */
  #goOn(terminal: PoolTerminal, { path, file }: Kept): void {
    try {
      const running = this.#run(terminal, path, (events) =>
        CastFile.reopen(path, file, this.#parts.mostBytes, events),
      );
      const why = "pairpty was restarted; output from in between is not recorded";
      void running.recorder.beginAgain(why);
    } catch (error) {
      if (!(error instanceof AnotherFile) && systemCode(error) === undefined) throw error;
      const why = `does not go on: ${messageOf(error)}`;
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

/** As somebody called it; else with its number, since many are called by one folder. */
function titleOf({ title, meta }: PoolTerminal): string {
  const { name, command, cwd, number } = meta;
  if (name !== undefined) return name;
  const own = command === undefined ? basename(cwd) || cwd : command.join(" ");
  return number === undefined ? title || own : `${title || own} #${number}`;
}

function refuse(code: ErrorCode, error: string): Refused {
  return { ok: false, code, error };
}

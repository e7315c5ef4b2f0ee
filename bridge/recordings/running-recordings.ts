// Owns the recorders that run: which terminal has one, and what feeds it. Does not decide who may
// record, and reports nothing to people.

import { errorMessage } from "../errors.ts";
import type { Log } from "../log.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { CastFile, FileEvents } from "./cast-file.ts";
import type { EndReason, ScreenSnapshot } from "./recorder.ts";
import { Recorder } from "./recorder.ts";

export interface RunningRecording {
  readonly terminal: PoolTerminal;
  readonly path: string;
  /** Identity of its file, for the next bridge. */
  readonly file: string;
  readonly recorder: Recorder;
  /** Display name in the last marker about typing. */
  typist: string | undefined;
}

export interface RunningRecordingsDeps {
  readonly pool: Pick<TerminalPool, "announceClosed" | "park" | "read" | "unread">;
  readonly takeSnapshot: (terminal: PoolTerminal) => Promise<ScreenSnapshot>;
  readonly log: Pick<Log, "error">;
  readonly now: () => number;
}

export class RunningRecordings {
  readonly #deps: RunningRecordingsDeps;
  readonly #onEnded: (running: RunningRecording, why: EndReason) => void;
  readonly #byTerminal = new Map<string, RunningRecording>();

  /** `onEnded` is called when a recording ends on its own. */
  constructor(
    deps: RunningRecordingsDeps,
    onEnded: (running: RunningRecording, why: EndReason) => void,
  ) {
    this.#deps = deps;
    this.#onEnded = onEnded;
  }

  get size(): number {
    return this.#byTerminal.size;
  }

  get(terminal: string): RunningRecording | undefined {
    return this.#byTerminal.get(terminal);
  }

  all(): Iterable<RunningRecording> {
    return this.#byTerminal.values();
  }

  /** Returns the paths of their files. */
  paths(): ReadonlySet<string> {
    return new Set([...this.#byTerminal.values()].map(({ path }) => path));
  }

  delete(terminal: string): void {
    this.#byTerminal.delete(terminal);
  }

  /** Closes all recorders without reporting that they ended. */
  closeAll(): void {
    for (const { recorder } of this.#byTerminal.values()) recorder.close();
    this.#byTerminal.clear();
  }

  /** Opens a file and records the terminal to it. */
  open(
    terminal: PoolTerminal,
    path: string,
    open: (events: FileEvents) => {
      readonly file: CastFile;
      readonly quietMs: number;
    },
  ): RunningRecording {
    const { pool, takeSnapshot, now, log } = this.#deps;
    let recorder: Recorder | undefined;
    const { file, quietMs } = open({
      onDrained: () => recorder?.onDrained(),
      onFailed: (error) => {
        log.error(`the recording ${path} cannot be written: ${errorMessage(error)}`);
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
        takeSnapshot: () => takeSnapshot(terminal),
        now,
        onEnded: (why) => {
          const running = this.#byTerminal.get(terminal.id);
          if (running !== undefined) this.#onEnded(running, why);
        },
      },
      quietMs,
    );
    const running: RunningRecording = {
      terminal,
      path,
      file: file.identity,
      recorder,
      typist: undefined,
    };
    this.#byTerminal.set(terminal.id, running);
    return running;
  }
}

// Owns the terminals that mirror agents' commands to people: one per agent, into which the bridge
// writes what the commands print. No one types into it, and its agent does not see it. A command
// starts only if its mirror is ready [S23], and never waits for it afterwards. Also owns how a
// command looks in the terminal that mirrors it: its line, its output as plain text, its exit.

import type { Exit } from "../../protocol/terminal.ts";
import { toOneLine } from "../../protocol/names.ts";
import { countUnfinishedTail } from "../../protocol/text.ts";
import type { CommandRun, OutputName } from "../commands/command-run.ts";
import type { Log } from "../log.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import { PlainTextDecoder } from "../sequences/plain-text.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { StartedBy } from "../terminals/spawn-plan.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";

export type MirrorPool = Pick<
  TerminalPool,
  "plan" | "start" | "get" | "running" | "input" | "watch" | "close"
>;

/** Prints its input unchanged; its first byte, the title, signals that it is ready. */
const MIRROR_COMMAND = "stty raw -echo && printf '\\033]2;commands\\007' && exec cat";
/** Name shown in lists. */
const NAME = "commands";
/** Characters buffered until the terminal is ready; the rest is counted, and the count shown. */
const MAX_WAITING = 256 << 10;
/** Time for a shell and three small programs to start on a busy machine. */
const READY_MS = 10_000;
/** Delay before a mirror lost during a command is restarted; doubles each time. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

interface CommandMirror {
  /** Set once it is ready to print. */
  terminal: PoolTerminal | undefined;
  /** Resolves with an error text if the start failed. */
  starting: Promise<string | undefined> | undefined;
  waiting: string[];
  length: number;
  /** Characters that did not fit into the buffer. */
  lost: number;
  /** The command whose output was shown last. */
  last: CommandRun | undefined;
  retryMs: number;
  retry: NodeJS.Timeout | undefined;
}

export class CommandMirrors {
  readonly #pool: MirrorPool;
  readonly #log: Pick<Log, "warn">;
  /** Keyed by grant id. */
  readonly #mirrors = new Map<string, CommandMirror>();

  constructor(pool: MirrorPool, log: Pick<Log, "warn">) {
    this.#pool = pool;
    this.#log = log;
    // Adopts the mirrors of an earlier bridge: they still print their input.
    for (const terminal of pool.running()) {
      const { feed: mirror, startedBy } = terminal.meta;
      if (mirror !== true || startedBy === undefined) continue;
      this.#mirrors.set(startedBy.grant, { ...newMirror(), terminal });
    }
  }

  /** Resolves before a command starts, with whether people will see its output. */
  async prepare(by: StartedBy): Promise<Outcome<undefined>> {
    const mirror = this.#find(by);
    const why = mirror.terminal === undefined ? await this.#start(by, mirror) : undefined;
    if (why === undefined) return { ok: true, value: undefined };
    return refusal(
      `The command was not started: people could not see it, because the terminal that shows an agent's commands could not be opened (${why}). Ask the user to free resources, then try again.`,
    );
  }

  show(by: StartedBy, line: string, run: CommandRun): void {
    const text = new CommandMirrorText();
    const write = (shown: string) => {
      if (shown === "") return;
      const mirror = this.#find(by);
      const isAgain = mirror.last !== undefined && mirror.last !== run;
      mirror.last = run;
      this.#write(by, mirror, isAgain ? text.resume(line) + shown : shown);
    };
    const mirror = this.#find(by);
    mirror.last = run;
    this.#write(by, mirror, text.begin(line));
    run.onOutput((name, bytes) => {
      if (name !== undefined) write(text.output(name, bytes));
      else if (run.life.state === "ended") {
        write(text.end(run.life.exit, run.life.at - run.startedAt));
      }
    });
  }

  endForGrant(grant: string): void {
    const mirror = this.#mirrors.get(grant);
    this.#mirrors.delete(grant);
    clearTimeout(mirror?.retry);
    const terminal = mirror?.terminal;
    if (terminal !== undefined)
      void this.#pool.close(terminal, "its agent's token has expired or was revoked");
  }

  dispose(): void {
    for (const { retry } of this.#mirrors.values()) clearTimeout(retry);
  }

  #write(by: StartedBy, mirror: CommandMirror, text: string): void {
    if (mirror.terminal !== undefined) {
      this.#pool.input(mirror.terminal, Buffer.from(text));
      return;
    }
    if (mirror.length + text.length > MAX_WAITING) mirror.lost += text.length;
    else {
      mirror.waiting.push(text);
      mirror.length += text.length;
    }
    // After a failure the timer retries, not every piece of output.
    if (mirror.retry === undefined) void this.#start(by, mirror);
  }

  #find(by: StartedBy): CommandMirror {
    const known = this.#mirrors.get(by.grant);
    // A person or the inactivity timeout may have closed it.
    if (known !== undefined && known.terminal?.life.state !== "finished") return known;
    const mirror = newMirror();
    this.#mirrors.set(by.grant, mirror);
    return mirror;
  }

  /** Starts the terminal, once for concurrent calls. Resolves with an error text on failure. */
  #start(by: StartedBy, mirror: CommandMirror): Promise<string | undefined> {
    mirror.starting ??= this.#make(by, mirror)
      .catch((error: unknown) => String(error))
      .then((why) => {
        mirror.starting = undefined;
        if (why !== undefined) this.#failed(by, mirror, why);
        return why;
      });
    return mirror.starting;
  }

  async #make(by: StartedBy, mirror: CommandMirror): Promise<string | undefined> {
    const planned = this.#pool.plan({
      line: MIRROR_COMMAND,
      lane: "command",
      lifetime: "background",
      startedBy: by,
      environment: { PATH: process.env["PATH"] },
    });
    if (!planned.ok) return planned.error;
    const started = await this.#pool.start({ ...planned.plan, command: [NAME], isFeed: true });
    if (!started.ok) return started.error;
    const terminal = this.#pool.get(started.terminal.id);
    if (terminal === undefined) return "it exited immediately";
    const why = await this.#untilReady(terminal);
    if (why === undefined && this.#mirrors.get(by.grant) === mirror) {
      this.#ready(mirror, terminal);
      return undefined;
    }
    const reason = why ?? "its agent's token has expired or was revoked";
    void this.#pool.close(terminal, reason);
    return reason;
  }

  /** Resolves when the first byte was printed, maybe before this call; until then it would echo. */
  #untilReady(terminal: PoolTerminal): Promise<string | undefined> {
    return new Promise((resolve) => {
      const finish = (why?: string) => {
        clearTimeout(timer);
        stop();
        resolve(why);
      };
      const timer = setTimeout(
        () => finish(`it printed nothing for ${READY_MS / 1_000} s`),
        READY_MS,
      );
      const look = () => {
        if (terminal.end > 0) finish();
        else if (terminal.life.state === "finished") finish("it exited immediately");
      };
      const stop = this.#pool.watch(terminal, look);
      look();
    });
  }

  #ready(mirror: CommandMirror, terminal: PoolTerminal): void {
    mirror.terminal = terminal;
    mirror.retryMs = FIRST_RETRY_MS;
    for (const text of mirror.waiting.splice(0)) this.#pool.input(terminal, Buffer.from(text));
    mirror.length = 0;
    if (mirror.lost === 0) return;
    const lost = `\r\n[${mirror.lost} more characters could not be shown]\r\n`;
    mirror.lost = 0;
    this.#pool.input(terminal, Buffer.from(lost));
  }

  /** Retries on a timer if text is waiting; otherwise the next command retries. */
  #failed(by: StartedBy, mirror: CommandMirror, why: string): void {
    if (this.#mirrors.get(by.grant) !== mirror) return;
    this.#log.warn(`people cannot see the commands of agent ${by.grant}: ${why}`);
    if (mirror.waiting.length === 0) return;
    clearTimeout(mirror.retry);
    mirror.retry = setTimeout(() => {
      mirror.retry = undefined;
      void this.#start(by, mirror);
    }, mirror.retryMs).unref();
    mirror.retryMs = Math.min(MAX_RETRY_MS, mirror.retryMs * 2);
  }
}

function newMirror(): CommandMirror {
  return {
    terminal: undefined,
    starting: undefined,
    waiting: [],
    length: 0,
    lost: 0,
    last: undefined,
    retryMs: FIRST_RETRY_MS,
    retry: undefined,
  };
}

// Pure except for the state of the streams. Escape sequences are removed: a program's output must
// not move the cursor, nor send a query that no terminal would answer.

/** Bytes shown per run; the agent has more. */
export const SHOWN_BYTES = 64 << 10;
const LINE_CHARS = 400;
const RESUME_CHARS = 60;

const BOLD = "\x1b[1m";
const DIM = "\x1b[2m";
const RED = "\x1b[31m";
const PLAIN = "\x1b[0m";

interface Stream {
  readonly between: PlainTextDecoder;
  /** Bytes of an incomplete character. */
  rest: Buffer;
}

export class CommandMirrorText {
  readonly #streams: Record<OutputName, Stream> = { stdout: newStream(), stderr: newStream() };
  #shown = 0;
  #omitted = 0;
  #isLineOpen = false;

  begin(line: string): string {
    return `${BOLD}$ ${shorten(line, LINE_CHARS)}${PLAIN}\r\n`;
  }

  /** Formats a header for output that continues after another command of the same agent printed. */
  resume(line: string): string {
    return `\r\n${DIM}[${shorten(line, RESUME_CHARS)}]${PLAIN}\r\n`;
  }

  /** Formats output; "" if there is nothing to show. */
  output(name: OutputName, bytes: Uint8Array): string {
    const room = Math.max(0, SHOWN_BYTES - this.#shown);
    this.#shown += Math.min(room, bytes.length);
    this.#omitted += Math.max(0, bytes.length - room);
    const text = decodeText(this.#streams[name], bytes.subarray(0, room));
    if (text === "") return "";
    this.#isLineOpen = !text.endsWith("\n");
    const shown = text.replaceAll(/\r?\n/g, "\r\n");
    return name === "stderr" ? `${RED}${shown}${PLAIN}` : shown;
  }

  end({ exitCode, signal }: Exit, milliseconds: number): string {
    const how = exitCode === null ? (signal ?? "gone") : `exit ${exitCode}`;
    const left = this.#omitted > 0 ? `${this.#omitted} more bytes are not shown; ` : "";
    const start = this.#isLineOpen ? "\r\n" : "";
    return `${start}${DIM}[${left}${how}, ${(milliseconds / 1_000).toFixed(1)} s]${PLAIN}\r\n`;
  }
}

function shorten(line: string, most: number): string {
  const oneLine = toOneLine(line);
  return oneLine.length > most ? `${oneLine.slice(0, most)}…` : oneLine;
}

function newStream(): Stream {
  return { between: new PlainTextDecoder(), rest: Buffer.alloc(0) };
}

function decodeText(stream: Stream, bytes: Uint8Array): string {
  const whole = Buffer.concat([stream.rest, bytes]);
  const end = whole.length - countUnfinishedTail(whole);
  stream.rest = whole.subarray(end);
  return stream.between.take(whole.subarray(0, end));
}

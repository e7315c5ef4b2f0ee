// Owns the terminals that mirror agents' commands to people: one per agent, into which the bridge
// writes what the commands print. No one types into it, and its agent does not see it. A command
// starts only if its mirror is ready [S23], and never waits for it afterwards.

import type { CommandRun } from "../commands/run.ts";
import type { Log } from "../log.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { StartedBy } from "../terminals/plan.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { FeedText } from "./feed-text.ts";

export type FeedPool = Pick<
  TerminalPool,
  "plan" | "start" | "get" | "running" | "input" | "watch" | "close"
>;

/** Prints its input unchanged; its first byte, the title, signals that it is ready. */
const SHOWS = "stty raw -echo && printf '\\033]2;commands\\007' && exec cat";
/** Name shown in lists. */
const NAME = "commands";
/** Characters buffered until the terminal is ready; the rest is counted, and the count shown. */
const MAX_WAITING = 256 << 10;
/** Time for a shell and three small programs to start on a busy machine. */
const READY_MS = 10_000;
/** Delay before a mirror lost during a command is restarted; doubles each time. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

interface Feed {
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

export class Feeds {
  readonly #pool: FeedPool;
  readonly #log: Pick<Log, "warn">;
  /** By grant. */
  readonly #feeds = new Map<string, Feed>();

  constructor(pool: FeedPool, log: Pick<Log, "warn">) {
    this.#pool = pool;
    this.#log = log;
    // Adopts the mirrors of an earlier bridge: they still print their input.
    for (const terminal of pool.running()) {
      const { feed, startedBy } = terminal.meta;
      if (feed !== true || startedBy === undefined) continue;
      this.#feeds.set(startedBy.grant, { ...newFeed(), terminal });
    }
  }

  /** Resolves before a command starts, with whether people will see its output. */
  async prepare(by: StartedBy): Promise<Outcome<undefined>> {
    const feed = this.#find(by);
    const why = feed.terminal === undefined ? await this.#start(by, feed) : undefined;
    if (why === undefined) return { ok: true, value: undefined };
    return refusal(
      `The command was not started: people could not see it, because the terminal that shows an agent's commands could not be opened (${why}). Ask the user to free resources, then try again.`,
    );
  }

  show(by: StartedBy, line: string, run: CommandRun): void {
    const text = new FeedText();
    const write = (shown: string) => {
      if (shown === "") return;
      const feed = this.#find(by);
      const isAgain = feed.last !== undefined && feed.last !== run;
      feed.last = run;
      this.#write(by, feed, isAgain ? text.again(line) + shown : shown);
    };
    const feed = this.#find(by);
    feed.last = run;
    this.#write(by, feed, text.begin(line));
    run.onNews((name, bytes) => {
      if (name !== undefined) write(text.output(name, bytes));
      else if (run.life.state === "ended") {
        write(text.end(run.life.exit, run.life.at - run.startedAt));
      }
    });
  }

  endOf(grant: string): void {
    const feed = this.#feeds.get(grant);
    this.#feeds.delete(grant);
    clearTimeout(feed?.retry);
    const terminal = feed?.terminal;
    if (terminal !== undefined) void this.#pool.close(terminal, "its agent's grant has ended");
  }

  dispose(): void {
    for (const { retry } of this.#feeds.values()) clearTimeout(retry);
  }

  #write(by: StartedBy, feed: Feed, text: string): void {
    if (feed.terminal !== undefined) {
      this.#pool.input(feed.terminal, Buffer.from(text));
      return;
    }
    if (feed.length + text.length > MAX_WAITING) feed.lost += text.length;
    else {
      feed.waiting.push(text);
      feed.length += text.length;
    }
    // After a failure the timer retries, not every piece of output.
    if (feed.retry === undefined) void this.#start(by, feed);
  }

  #find(by: StartedBy): Feed {
    const known = this.#feeds.get(by.grant);
    // A person or the inactivity timeout may have closed it.
    if (known !== undefined && known.terminal?.life.state !== "finished") return known;
    const feed = newFeed();
    this.#feeds.set(by.grant, feed);
    return feed;
  }

  /** Starts the terminal, once for concurrent calls. Resolves with an error text on failure. */
  #start(by: StartedBy, feed: Feed): Promise<string | undefined> {
    feed.starting ??= this.#make(by, feed)
      .catch((error: unknown) => String(error))
      .then((why) => {
        feed.starting = undefined;
        if (why !== undefined) this.#failed(by, feed, why);
        return why;
      });
    return feed.starting;
  }

  async #make(by: StartedBy, feed: Feed): Promise<string | undefined> {
    const planned = this.#pool.plan({
      line: SHOWS,
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
    if (why === undefined && this.#feeds.get(by.grant) === feed) {
      this.#ready(feed, terminal);
      return undefined;
    }
    const reason = why ?? "its agent's grant has ended";
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

  #ready(feed: Feed, terminal: PoolTerminal): void {
    feed.terminal = terminal;
    feed.retryMs = FIRST_RETRY_MS;
    for (const text of feed.waiting.splice(0)) this.#pool.input(terminal, Buffer.from(text));
    feed.length = 0;
    if (feed.lost === 0) return;
    const lost = `\r\n[${feed.lost} more characters could not be shown]\r\n`;
    feed.lost = 0;
    this.#pool.input(terminal, Buffer.from(lost));
  }

  /** Retries on a timer if text is waiting; otherwise the next command retries. */
  #failed(by: StartedBy, feed: Feed, why: string): void {
    if (this.#feeds.get(by.grant) !== feed) return;
    this.#log.warn(`people cannot see the commands of agent ${by.grant}: ${why}`);
    if (feed.waiting.length === 0) return;
    clearTimeout(feed.retry);
    feed.retry = setTimeout(() => {
      feed.retry = undefined;
      void this.#start(by, feed);
    }, feed.retryMs).unref();
    feed.retryMs = Math.min(MAX_RETRY_MS, feed.retryMs * 2);
  }
}

function newFeed(): Feed {
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

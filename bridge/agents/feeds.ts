// Owns what people see of agents' commands: one terminal for each agent, into which the bridge writes
// what its commands print. It is no agent's terminal: nobody types into it, and its agent does not
// see it. A command never waits for it.

import type { CommandRun } from "../commands/run.ts";
import type { Log } from "../log.ts";
import type { StartedBy } from "../terminals/plan.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { FeedText } from "./feed-text.ts";

export type FeedPool = Pick<
  TerminalPool,
  "plan" | "start" | "get" | "running" | "input" | "watch" | "close"
>;

/** Prints what it is given, as it is; the first byte says that it does. */
const SHOWS = "stty raw -echo && printf '\\033]2;commands\\007' && exec cat";
/** As people read it in a list. */
const NAME = "commands";
/** What waits for a terminal that is not there yet; the rest is lost to people, and to nobody else. */
const MOST_WAITING = 256 << 10;

interface Feed {
  terminal: PoolTerminal | undefined;
  waiting: string[];
  length: number;
  /** Which command's output was shown last. */
  last: CommandRun | undefined;
}

export class Feeds {
  readonly #pool: FeedPool;
  readonly #log: Pick<Log, "warn">;
  /** By grant. */
  readonly #feeds = new Map<string, Feed>();

  constructor(pool: FeedPool, log: Pick<Log, "warn">) {
    this.#pool = pool;
    this.#log = log;
    // Of the bridge before; they print what they are given, as ever.
    for (const terminal of pool.running()) {
      const { feed, startedBy } = terminal.meta;
      if (feed !== true || startedBy === undefined) continue;
      this.#feeds.set(startedBy.grant, { ...newFeed(), terminal });
    }
  }

  show(by: StartedBy, line: string, run: CommandRun): void {
    const text = new FeedText();
    const write = (shown: string) => {
      if (shown === "") return;
      const feed = this.#feedOf(by);
      const isAgain = feed.last !== undefined && feed.last !== run;
      feed.last = run;
      this.#write(feed, isAgain ? text.again(line) + shown : shown);
    };
    this.#begin(by, text.begin(line), run);
    run.onNews((name, bytes) => {
      if (name !== undefined) write(text.output(name, bytes));
      else if (run.life.state === "ended") {
        write(text.end(run.life.exit, run.life.at - run.startedAt));
      }
    });
  }

  endOf(grant: string): void {
    const terminal = this.#feeds.get(grant)?.terminal;
    this.#feeds.delete(grant);
    if (terminal !== undefined) void this.#pool.close(terminal, "its agent's grant has ended");
  }

  #begin(by: StartedBy, text: string, run: CommandRun): void {
    const feed = this.#feedOf(by);
    feed.last = run;
    this.#write(feed, text);
  }

  #write(feed: Feed, text: string): void {
    if (feed.terminal !== undefined) {
      this.#pool.input(feed.terminal, Buffer.from(text));
      return;
    }
    if (feed.length + text.length > MOST_WAITING) return;
    feed.waiting.push(text);
    feed.length += text.length;
  }

  #feedOf(by: StartedBy): Feed {
    const known = this.#feeds.get(by.grant);
    // It was closed, by a person or because nothing happened in it.
    if (known !== undefined && known.terminal?.life.state !== "finished") return known;
    const feed = newFeed();
    this.#feeds.set(by.grant, feed);
    void this.#start(by, feed);
    return feed;
  }

  async #start(by: StartedBy, feed: Feed): Promise<void> {
    const planned = this.#pool.plan({
      line: SHOWS,
      lane: "command",
      lifetime: "background",
      startedBy: by,
      environment: { PATH: process.env["PATH"] },
    });
    if (!planned.ok) return this.#fail(by, feed, planned.error);
    const started = await this.#pool.start({ ...planned.plan, command: [NAME], isFeed: true });
    if (!started.ok) return this.#fail(by, feed, started.error);
    const terminal = this.#pool.get(started.terminal.id);
    if (terminal === undefined) return this.#fail(by, feed, "it ended at once");
    if (this.#feeds.get(by.grant) !== feed) {
      void this.#pool.close(terminal, "its agent's grant has ended");
      return undefined;
    }
    // Before that its terminal would echo. It may have been told with the terminal itself.
    if (terminal.end > 0) return this.#ready(feed, terminal);
    const stop = this.#pool.watch(terminal, () => {
      stop();
      this.#ready(feed, terminal);
    });
    return undefined;
  }

  #ready(feed: Feed, terminal: PoolTerminal): void {
    feed.terminal = terminal;
    for (const text of feed.waiting.splice(0)) this.#pool.input(terminal, Buffer.from(text));
  }

  /** The next command tries again. */
  #fail({ grant }: StartedBy, feed: Feed, why: string): void {
    if (this.#feeds.get(grant) === feed) this.#feeds.delete(grant);
    this.#log.warn(`people do not see the commands of agent ${grant}: ${why}`);
  }
}

function newFeed(): Feed {
  return { terminal: undefined, waiting: [], length: 0, last: undefined };
}

// Owns running verbs that ask and end, in a thread that has the built program loaded. Whatever is
// about the process itself (starting, signals, windows) needs one: `Place.runFrom`.

import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { within } from "./waiting.ts";

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Asked {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** All of its standard input. */
  readonly input?: string;
}

const ASKING: ReadonlySet<string> = new Set([
  "--help",
  "--version",
  "-V",
  "-v",
  "admit",
  "agents-type",
  "approvals",
  "approve",
  "audit",
  "close",
  "complete-ids",
  "completion",
  "config",
  "connect",
  "deny",
  "grants",
  "help",
  "logs",
  "ls",
  "people",
  "pin",
  "play",
  "policy",
  "record",
  "rename",
  "revoke",
  "rules",
  "share",
  "status",
  "stop",
  "turn-away",
  "version",
]);

/** What the program looks at when it is loaded, which is before the thread is told. */
const SETTLED = /^(FORCE_COLOR|NO_COLOR|npm_.*)$/;

/** Whether the verb only asks, prints and ends, and the thread's program would say the same. */
export function onlyAsks(
  [verb = "", ...rest]: readonly string[],
  environment: NodeJS.ProcessEnv,
): boolean {
  if (!ASKING.has(verb) && !rest.includes("--help")) return false;
  if (rest.includes("--follow")) return false;
  const names = Object.keys({ ...process.env, ...environment });
  return names.every((name) => !SETTLED.test(name) || environment[name] === process.env[name]);
}

export class Verbs {
  readonly #cli: string;
  #thread: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #answered: (result: Result) => void = () => {};
  #failed: (error: unknown) => void = () => {};

  constructor(cli: string) {
    this.#cli = cli;
  }

  /** In the order in which they were asked: there is one process environment for all. */
  async run(asked: Asked): Promise<Result> {
    const result = this.#last.then(() => this.#run(asked));
    this.#last = result.catch(() => undefined);
    return await result;
  }

  async #run(asked: Asked): Promise<Result> {
    const thread = (this.#thread ??= this.#start());
    const answer = new Promise<Result>((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage({ ...asked, environment: withoutUndefined(asked.environment) });
    try {
      return await within(answer, `${asked.args.join(" ")} did not end`);
    } catch (error) {
      this.#thread = undefined;
      await thread.terminate();
      throw error;
    }
  }

  #start(): Worker {
    const built = dirname(this.#cli);
    const loader = pathToFileURL(join(built, "compiled.js")).href;
    // From the build: what is bundled from here, as the soak is, stands elsewhere.
    const root = join(built, "..", "..");
    const thread = new Worker(join(root, "test", "support", "verb-thread.mjs"), {
      workerData: { cli: this.#cli, loader },
    });
    thread.on("message", (result: Result) => this.#answered(result));
    thread.on("error", (error) => this.#failed(error));
    // As of a verb that throws after it has answered: the next one needs another.
    thread.on("exit", () => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      this.#failed(new Error("the thread of the verbs ended"));
    });
    thread.unref();
    return thread;
  }
}

function withoutUndefined(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

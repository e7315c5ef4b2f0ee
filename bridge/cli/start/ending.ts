// Owns the end of a foreground bridge: signals, the confirmation, and the exit code.

import { createInterface } from "node:readline/promises";
import { ExitCode } from "../../errors.ts";
import type { BridgeRun, EndedBy } from "../../run/run.ts";
import type { EventPrinter } from "./events.ts";
import { say, tell } from "../output/output.ts";
import { countedOnes, endedBy, formatLeft } from "./ended-words.ts";
import { canAsk, surroundings } from "../output/surface.ts";

/** 128 + SIGHUP, as shells report it. */
const HUNG_UP = 129;

/** Collects signals from the start: one that comes early is delivered once there is a listener. */
export class Signals {
  readonly #early: NodeJS.Signals[] = [];
  readonly #first = new AbortController();
  #listener: ((signal: NodeJS.Signals) => void) | undefined;

  constructor() {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(name, () => {
        this.#first.abort();
        if (this.#listener === undefined) this.#early.push(name);
        else this.#listener(name);
      });
    }
  }

  /** Aborts on the first signal, for what a start waits for. */
  get early(): AbortSignal {
    return this.#first.signal;
  }

  listen(listener: (signal: NodeJS.Signals) => void): void {
    this.#listener = listener;
    for (const signal of this.#early.splice(0)) listener(signal);
  }
}

/** Asks by a single key. */
export interface Asker {
  readonly isOpen: boolean;
  ask(): Promise<boolean>;
  close(): void;
}

export class Ending {
  /** Resolves with the exit code. */
  readonly code: Promise<number>;
  /** Set once there are hotkeys. */
  asker: Asker | undefined;
  readonly #run: BridgeRun;
  #resolve: (code: number) => void = () => {};
  readonly #isQuiet: boolean;
  #asking = false;

  /** `isQuiet`: does not print what ended. */
  constructor(run: BridgeRun, signals: Signals, isQuiet: boolean) {
    this.#run = run;
    this.#isQuiet = isQuiet;
    this.code = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    signals.listen((signal) => {
      if (signal === "SIGINT") return void this.interrupt();
      if (signal === "SIGTERM") return void this.#stop("signal");
      // Only the window is gone: the next bridge takes over the terminals.
      return void this.#leave();
    });
  }

  /** Handles refusals after the first link; a refusal of the first one fails the start instead. */
  heedRefusals(events: EventPrinter): void {
    // For as long as the process lives.
    events.onRefused((reason) => {
      tell(
        `The relay closed this bridge: ${reason}. Terminals keep running for a while (see \`pairpty config explain grace\`).`,
      );
      void this.#abandon(ExitCode.refused);
    });
  }

  /** Handles Ctrl-C or `q`; asks first if terminals are running and a person can answer. */
  async interrupt(): Promise<void> {
    const running = countedOnes(this.#run.pool.list()).length;
    if (this.#asking || running === 0 || !canAsk(surroundings())) {
      return await this.#stop("window");
    }
    this.#asking = true;
    const yes = await this.#confirm(running);
    this.#asking = false;
    if (yes) return await this.#stop("window");
    return say("  Cancelled. pairpty is still running.");
  }

  async #confirm(running: number): Promise<boolean> {
    const what =
      running === 1 ? "1 terminal is still running" : `${running} terminals are still running`;
    const question = `\n  ${what}. Stop everything? [y/N] `;
    if (this.asker?.isOpen !== true) return await askByLine(question);
    process.stderr.write(question);
    const yes = await this.asker.ask();
    say(yes ? "y" : "n");
    return yes;
  }

  /** Ends a start without a link; restores the window for the error. */
  async giveUp(): Promise<void> {
    this.asker?.close();
    await this.#run.giveUp();
  }

  async #stop(by: EndedBy): Promise<void> {
    this.asker?.close();
    const ended = endedBy(this.#run);
    await this.#run.stop(by);
    if (!this.#isQuiet) say(`  Stopped. ${ended}`);
    this.#resolve(ExitCode.ok);
  }

  async #leave(): Promise<void> {
    const { pool, graceMs } = this.#run;
    // The window may be gone, but a log of standard error, as of nohup, is not.
    if (!this.#isQuiet) say(`  ${formatLeft(pool.count, graceMs)}`);
    await this.#abandon(HUNG_UP);
  }

  async #abandon(code: number): Promise<void> {
    this.asker?.close();
    await this.#run.abandon();
    this.#resolve(code);
  }
}

async function askByLine(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const again = new Promise<string>((resolve) => lines.once("SIGINT", () => resolve("y")));
  const reply = await Promise.race([lines.question(question), again]);
  lines.close();
  return /^y(es)?$/i.test(reply.trim());
}

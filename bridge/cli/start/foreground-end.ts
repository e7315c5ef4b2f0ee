// Owns the end of a foreground bridge: signals, the confirmation, and the exit code.

import { createInterface } from "node:readline/promises";
import { ExitCode } from "../../errors.ts";
import type { BridgeRun, EndedBy } from "../../run/bridge-run.ts";
import type { EventPrinter } from "./event-printer.ts";
import { printNote, printWrapped } from "../output/output.ts";
import { listCountedTerminals, formatStop, formatHangUp } from "./stop-texts.ts";
import { canAsk, getWindowEnvironment } from "../output/window-support.ts";

/** 128 + SIGHUP, as shells report it. */
const HUNG_UP_EXIT_CODE = 129;

/** Collects signals from the start: one that comes early is delivered once there is a listener. */
export class StopSignals {
  readonly #pending: NodeJS.Signals[] = [];
  readonly #first = new AbortController();
  #listener: ((signal: NodeJS.Signals) => void) | undefined;

  constructor() {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(name, () => {
        this.#first.abort();
        if (this.#listener === undefined) this.#pending.push(name);
        else this.#listener(name);
      });
    }
  }

  /** Aborts on the first signal, for what a start waits for. */
  get firstSignal(): AbortSignal {
    return this.#first.signal;
  }

  listen(listener: (signal: NodeJS.Signals) => void): void {
    this.#listener = listener;
    for (const signal of this.#pending.splice(0)) listener(signal);
  }
}

/** Asks by a single key. */
export interface KeyPrompt {
  readonly isOpen: boolean;
  ask(): Promise<boolean>;
  close(): void;
}

export class ForegroundEnd {
  /** Resolves with the exit code. */
  readonly code: Promise<number>;
  /** Set once there are hotkeys. */
  keyPrompt: KeyPrompt | undefined;
  readonly #run: BridgeRun;
  #resolve: (code: number) => void = () => {};
  readonly #isQuiet: boolean;
  #asking = false;

  /** `isQuiet`: does not print what ended. */
  constructor(run: BridgeRun, signals: StopSignals, isQuiet: boolean) {
    this.#run = run;
    this.#isQuiet = isQuiet;
    this.code = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    signals.listen((signal) => {
      if (signal === "SIGINT") return void this.interrupt();
      if (signal === "SIGTERM") return void this.#stop("signal");
      // Only the window closed: the next bridge takes over the terminals.
      return void this.#leave();
    });
  }

  /** Handles refusals after the first link; a refusal of the first one fails the start instead. */
  stopOnRefusal(events: EventPrinter): void {
    // Stays registered as long as the process lives.
    events.onRefused((reason) => {
      printWrapped(
        `The relay closed this bridge: ${reason}. Terminals keep running for a while (see \`pairpty config explain grace\`).`,
      );
      void this.#abandon(ExitCode.refused);
    });
  }

  /** Handles Ctrl-C or `q`; asks first if terminals are running and a person can answer. */
  async interrupt(): Promise<void> {
    const running = listCountedTerminals(this.#run.pool.list()).length;
    if (this.#asking || running === 0 || !canAsk(getWindowEnvironment())) {
      return await this.#stop("window");
    }
    this.#asking = true;
    const yes = await this.#confirm(running);
    this.#asking = false;
    if (yes) return await this.#stop("window");
    return printNote("  Cancelled. pairpty is still running.");
  }

  async #confirm(running: number): Promise<boolean> {
    const what =
      running === 1 ? "1 terminal is still running" : `${running} terminals are still running`;
    const question = `\n  ${what}. Stop everything? [y/N] `;
    if (this.keyPrompt?.isOpen !== true) return await confirmByLine(question);
    process.stderr.write(question);
    const yes = await this.keyPrompt.ask();
    printNote(yes ? "y" : "n");
    return yes;
  }

  /** Ends a start without a link; restores the window for the error. */
  async giveUp(): Promise<void> {
    this.keyPrompt?.close();
    await this.#run.giveUp();
  }

  async #stop(by: EndedBy): Promise<void> {
    this.keyPrompt?.close();
    const ended = formatStop(this.#run);
    await this.#run.stop(by);
    if (!this.#isQuiet) printNote(`  Stopped. ${ended}`);
    this.#resolve(ExitCode.ok);
  }

  async #leave(): Promise<void> {
    const { pool, graceMs } = this.#run;
    // The window may be gone, but a log of standard error, as of nohup, is not.
    if (!this.#isQuiet) printNote(`  ${formatHangUp(pool.count, graceMs)}`);
    await this.#abandon(HUNG_UP_EXIT_CODE);
  }

  async #abandon(code: number): Promise<void> {
    this.keyPrompt?.close();
    await this.#run.detach();
    this.#resolve(code);
  }
}

async function confirmByLine(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const again = new Promise<string>((resolve) => lines.once("SIGINT", () => resolve("y")));
  const reply = await Promise.race([lines.question(question), again]);
  lines.close();
  return /^y(es)?$/i.test(reply.trim());
}

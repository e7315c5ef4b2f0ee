// Runs a started bridge until its end, in the foreground or background: before, during and after
// its first link to the relay. Owns the end of a foreground bridge: signals, the confirmation, and
// the exit code.

import { createInterface } from "node:readline/promises";
import { ExitCode, UserError } from "../../errors.ts";
import type { DialProblem } from "../../link/dial-problem.ts";
import type { Log } from "../../log.ts";
import type { BridgeRun } from "../../run/bridge-run.ts";
import type { EndedBy } from "../../run/run-shutdown.ts";
import type { RunningBridge } from "../answers/control-answers.ts";
import type { StartOptions } from "../flags/start-options.ts";
import { printNote, printWrapped, canAsk, getWindowEnvironment } from "../output/output.ts";
import {
  isInteractive,
  printConnected,
  printTrouble,
  showNewLinks,
  showScreen,
  openHotkeys,
  copyOrOpenLink,
} from "../screen/first-screen.ts";
import { endWhenIdle } from "../shell/background-start.ts";
import type { EventPrinter } from "./event-printer.ts";
import { listCountedTerminals, formatStop, formatHangUp } from "./stop-texts.ts";

export interface StartedBridge {
  readonly running: RunningBridge;
  readonly options: StartOptions;
  readonly ending: ForegroundEnd;
  readonly events: EventPrinter;
  readonly log: Log;
  /** Start time on the clock of `performance`. */
  readonly began: number;
}

/** Resolves with the exit code; rejects if the first link fails. */
export async function runInForeground({
  running,
  options,
  ending,
  events,
  began,
}: StartedBridge): Promise<number> {
  const { run } = running;
  const { ready } = running;
  events.getAddresses = () => running.ready;
  // Stays registered as long as the process lives.
  events.onNewAddress(() => void showNewLinks(running, options));
  const facts = { adopted: run.adoptedTerminals };
  const sinceStart = () => Math.round(performance.now() - began);
  const interrupt = () => void ending.interrupt();
  // A person sees the links while a remote relay is being dialled. A pipe gets only links that work,
  // and --json prints ready when it is [G5].
  const isEarly = !run.isEmbedded && isInteractive(options);
  if (isEarly) {
    const trouble = new Promise<DialProblem>((resolve) => {
      const end = events.onDialFailed((problem) => {
        end();
        resolve(problem);
      });
    });
    await showScreen(ready, options, { ...facts, milliseconds: undefined, connecting: true });
    events.hotkeyPrompt = ending.keyPrompt = openHotkeys(running, options, facts, interrupt);
    // Printed once, below the links; if the dial never succeeds, the last problem becomes the error.
    void trouble.then((problem) => run.hasConnected || printTrouble(ready.relay, problem));
  }
  const outcome = await Promise.race([run.firstLinkOutcome, ending.code]);
  if (typeof outcome === "number") return outcome;
  if (outcome instanceof UserError) {
    await ending.giveUp();
    throw outcome;
  }
  ending.stopOnRefusal(events);
  // A printed link must work: wait until the room knows its hash.
  await run.link.confirmed();
  if (isEarly) printConnected(ready.relay, sinceStart());
  else {
    const { code } = run.elevationGate;
    await showScreen({ ...ready, code }, options, { ...facts, milliseconds: sinceStart() });
    events.hotkeyPrompt = ending.keyPrompt = openHotkeys(running, options, facts, interrupt);
  }
  copyOrOpenLink(ready, options);
  return await ending.code;
}

/**
 * Resolves with the exit code. The terminals serve windows on this machine, so an unreachable relay
 * ends none of them.
 */
export async function runInBackground({
  running,
  options,
  ending,
  events,
  log,
}: StartedBridge): Promise<number> {
  const { run } = running;
  endWhenIdle(run, options.graceMs, () => {
    run.setEndedBy("idle");
    process.kill(process.pid, "SIGTERM");
  });
  void run.firstLinkOutcome.then((problem) => {
    if (problem === undefined) return ending.stopOnRefusal(events);
    const retryNote = problem.exitCode === ExitCode.refused ? "" : "; the bridge keeps retrying";
    return log.error(`no link: ${problem.message}${retryNote}`);
  });
  return await ending.code;
}

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

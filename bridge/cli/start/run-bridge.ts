// Runs a started bridge until its end, in the foreground or background: before, during and after its
// first link to the relay.

import { ExitCode, UserError } from "../../errors.ts";
import type { DialProblem } from "../../link/dial-problem.ts";
import type { Log } from "../../log.ts";
import type { RunningBridge } from "../answers/control-answers.ts";
import type { ForegroundEnd } from "./foreground-end.ts";
import type { EventPrinter } from "./event-printer.ts";
import {
  isInteractive,
  printConnected,
  printTrouble,
  showNewLinks,
  showScreen,
  openHotkeys,
  copyOrOpenLink,
} from "../screen/first-screen.ts";
import type { StartOptions } from "../flags/start-options.ts";
import { endWhenIdle } from "../shell/idle-shutdown.ts";

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

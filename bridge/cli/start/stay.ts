// Runs a started bridge until its end, in the foreground or background: before, during and after its
// first link to the relay.

import { ExitCode, UserError } from "../../errors.ts";
import type { DialProblem } from "../../link/dial-problem.ts";
import type { Log } from "../../log.ts";
import type { Running } from "../answers/answers.ts";
import type { Ending } from "./ending.ts";
import type { EventPrinter } from "./events.ts";
import {
  isLookedAt,
  sayConnected,
  sayTrouble,
  showNewLinks,
  showScreen,
  takeKeys,
  useLink,
} from "../screen/first-screen.ts";
import type { StartOptions } from "../flags/options.ts";
import { endWhenIdle } from "../shell/idle-end.ts";

export interface Stay {
  readonly running: Running;
  readonly options: StartOptions;
  readonly ending: Ending;
  readonly events: EventPrinter;
  readonly log: Log;
  /** Start time on the clock of `performance`. */
  readonly began: number;
}

/** Resolves with the exit code; rejects if the first link fails. */
export async function stayInFront({
  running,
  options,
  ending,
  events,
  began,
}: Stay): Promise<number> {
  const { run } = running;
  const { ready } = running;
  events.places = () => running.ready;
  // For as long as the process lives.
  events.onNewAddress(() => void showNewLinks(running, options));
  const facts = { adopted: run.adopted };
  const sinceStart = () => Math.round(performance.now() - began);
  const interrupt = () => void ending.interrupt();
  // A person sees the links while a remote relay is being dialled. A pipe gets only links that work,
  // and --json prints ready when it is [G5].
  const isEarly = !run.embedded && isLookedAt(options);
  if (isEarly) {
    const trouble = new Promise<DialProblem>((resolve) => {
      const end = events.onDialFailed((problem) => {
        end();
        resolve(problem);
      });
    });
    await showScreen(ready, options, { ...facts, milliseconds: undefined, connecting: true });
    events.asker = ending.asker = takeKeys(running, options, facts, interrupt);
    // Printed once, below the links; if the dial never succeeds, the last problem becomes the error.
    void trouble.then((problem) => run.hasLinked || sayTrouble(ready.relay, problem));
  }
  const outcome = await Promise.race([run.linked, ending.code]);
  if (typeof outcome === "number") return outcome;
  if (outcome instanceof UserError) {
    await ending.giveUp();
    throw outcome;
  }
  ending.heedRefusals(events);
  // A printed link must work: wait until the room knows its hash.
  await run.link.confirmed();
  if (isEarly) sayConnected(ready.relay, sinceStart());
  else {
    const { code } = run.widening;
    await showScreen({ ...ready, code }, options, { ...facts, milliseconds: sinceStart() });
    events.asker = ending.asker = takeKeys(running, options, facts, interrupt);
  }
  useLink(ready, options);
  return await ending.code;
}

/**
 * Resolves with the exit code. The terminals serve windows on this machine, so an unreachable relay
 * ends none of them.
 */
export async function stayInBackground({
  running,
  options,
  ending,
  events,
  log,
}: Stay): Promise<number> {
  const { run } = running;
  endWhenIdle(run, options.graceMs, () => {
    run.endsBy("idle");
    process.kill(process.pid, "SIGTERM");
  });
  void run.linked.then((problem) => {
    if (problem === undefined) return ending.heedRefusals(events);
    const again = problem.exitCode === ExitCode.refused ? "" : "; the bridge keeps retrying";
    return log.error(`no link: ${problem.message}${again}`);
  });
  return await ending.code;
}

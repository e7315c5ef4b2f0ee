// Owns a bridge that was started, up to its end: in front of somebody or in the background, while
// the relay is still being dialled, and from the first link on.

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
  /** When it was started, by the clock of `performance`. */
  readonly began: number;
}

/** Resolves with the exit code; rejects when there is no first link. */
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
  // Somebody who looks on sees the links while a relay elsewhere is dialled. Whoever reads them
  // from a pipe gets links that work, and --json says ready when it is [G5].
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
    // Said once, and below the links; the last of it is the error that a start ends with.
    void trouble.then((problem) => run.hasLinked || sayTrouble(ready.relay, problem));
  }
  const outcome = await Promise.race([run.linked, ending.code]);
  if (typeof outcome === "number") return outcome;
  if (outcome instanceof UserError) {
    await ending.giveUp();
    throw outcome;
  }
  ending.heedRefusals(events);
  // A link that is printed must work: the room knows its hash by then.
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

/** Its terminals are for a window on this machine: a relay that cannot be had ends none of them. */
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
    const again = problem.exitCode === ExitCode.refused ? "" : "; the bridge keeps trying";
    return log.error(`no link: ${problem.message}${again}`);
  });
  return await ending.code;
}

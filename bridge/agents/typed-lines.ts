// Owns judging a typed line under every way in which a shell may read it, and the reasons that
// people see. Pure.

import type { Judgement } from "../pipeline/verdicts.ts";
import { isAtLeastVerdict } from "../policy/verdict.ts";
import type { Foreground } from "../processes/foreground.ts";
import type { InputReader } from "../sessions/input-reader.ts";
import type { LineReadings } from "../sessions/line-readings.ts";
import type { UnknownReason } from "../sessions/pending-line.ts";

/** Enough for a person to recognise the part of the line. */
const MAX_SHOWN_CHARS = 200;

const TOO_MANY = "it has too many possible readings to check";

/** Returns the strictest judgement of all readings; at least `unknown` if there are notes. */
export function judgeReadings(
  { typed, alternatives, isCut }: LineReadings,
  notes: readonly string[],
  judge: (line: string) => Judgement,
): Judgement {
  const own = judge(typed);
  let strictest = own;
  let reading = typed;
  for (const other of alternatives) {
    const judged = judge(other);
    const isAboutUs = judged.isAboutUs === true && strictest.isAboutUs !== true;
    if (!isAboutUs && isAtLeastVerdict(strictest.verdict, judged.verdict)) continue;
    [strictest, reading] = [judged, other];
  }
  if (isCut && !isAtLeastVerdict(strictest.verdict, "dangerous")) {
    strictest = { ...strictest, verdict: "dangerous", why: [...strictest.why, TOO_MANY] };
  }
  const shown =
    reading === typed ? [] : [`the shell may read: ${reading.slice(0, MAX_SHOWN_CHARS)}`];
  const all = [...notes, ...shown];
  const isRaised = notes.length > 0 && strictest.verdict === "safe";
  return {
    ...strictest,
    why: [...strictest.why, ...all],
    ...(all.length > 0 && { notes: all }),
    ...(isRaised && { verdict: "unknown" }),
  };
}

/** Formats why it is unknown what a shell would run. */
export function formatUnknown(
  why: UnknownReason,
  reader: InputReader,
  { front }: Pick<Foreground, "front">,
): string {
  if (why === "foreign")
    return "someone else has typed here, so the line may already contain text; <C-c> at the prompt clears it";
  if (why === "ahead")
    return "it is typed ahead: the program of an earlier line may read part of it, and the shell runs the rest";
  if (why === "edited")
    return "editing keys or earlier text may change the line, so pairpty cannot check what runs; <C-c> at the prompt clears it";
  const program = front.at(-1);
  const words = program?.argv[0] ?? program?.path ?? "";
  const name = words.slice(words.lastIndexOf("/") + 1) || "a program";
  return reader === "elsewhere"
    ? `${name} passes it to a shell that pairpty cannot see`
    : `if ${name} has exited by then, the shell behind it runs this, or the rest of it, as a command`;
}

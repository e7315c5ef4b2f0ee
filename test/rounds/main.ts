// `npm run rounds`: the built product through kills and stops of its parts, and whether every viewer
// shows every line once.

import { parseFlags, positiveNumber } from "../../bench/flags.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { MAX_SLOWER, slowerByBytes } from "./acking.ts";
import type { Kind } from "./kinds.ts";
import { KINDS } from "./kinds.ts";
import type { Inexact } from "./round.ts";
import { round } from "./round.ts";

const wanted = parseFlags(
  "rounds",
  "Kills and stops parts of the built product while a program prints, round after round, and says whether the page's rules and the documented clients show every line once, with no new start. Exits with 1 if a round is inexact.",
)
  .option("--rounds <number>", "how many of each kind", positiveNumber, 20)
  .option("--at-once <number>", "how many products run side by side", positiveNumber, 2)
  .option("--only <words>", "only kinds whose names have these words")
  .option("--quick", "without those that take half a minute")
  .parse()
  .opts<{ rounds: number; atOnce: number; only?: string; quick?: boolean }>();

interface Outcome {
  rounds: number;
  exact: number;
  readonly problems: string[];
}

const kinds = KINDS.filter(
  ({ name, isQuick }) => name.includes(wanted.only ?? "") && (isQuick || wanted.quick !== true),
);
const outcomes = new Map<Kind, Outcome>(
  kinds.map((kind) => [kind, { rounds: 0, exact: 0, problems: [] }]),
);
const say = (text: string) => process.stdout.write(`${text}\n`);

/** Long ones first, so that none is left over at the end. */
const queue = Array.from({ length: wanted.rounds }, () => kinds)
  .flat()
  .toSorted((a, b) => Number(a.isQuick) - Number(b.isQuick));

function note(kind: Kind, inexact: readonly Inexact[]): void {
  const outcome = outcomes.get(kind);
  if (outcome === undefined) return;
  outcome.rounds++;
  if (inexact.length === 0) outcome.exact++;
  for (const { viewer, what } of inexact) {
    outcome.problems.push(`round ${outcome.rounds}, ${viewer}: ${what}`);
    say(`inexact: ${kind.name}: ${viewer}: ${what}`);
  }
}

/** Rounds in one place, until none is left. After one that failed the next has a place of its own. */
async function work(): Promise<void> {
  while (queue.length > 0) {
    await using place = new Place();
    let product: Product = await place.start();
    for (let kind = queue.shift(); kind !== undefined; kind = queue.shift()) {
      try {
        const done = await round(kind, place, product);
        note(kind, done.inexact);
        product = done.product;
        if (done.inexact.length > 0) break;
      } catch (error) {
        const what = error instanceof Error ? error.message : String(error);
        note(kind, [{ viewer: "the round", what }]);
        break;
      }
    }
  }
}

await Promise.all(Array.from({ length: wanted.atOnce }, work));

const width = Math.max(...kinds.map(({ name }) => name.length));
say(`\n${"".padEnd(width)}  rounds  exact`);
let isExact = kinds.length > 0;
for (const [{ name }, { rounds, exact, problems }] of outcomes) {
  isExact &&= rounds === exact;
  say(`${name.padEnd(width)}  ${String(rounds).padStart(6)}  ${String(exact).padStart(5)}`);
  for (const problem of problems) say(`  ${problem}`);
}

{
  await using place = new Place();
  const slower = await slowerByBytes(await place.start(), 3);
  isExact &&= slower <= MAX_SLOWER;
  say(`\nacks every 128 KiB alone: ${slower.toFixed(2)} times as long as with a timer`);
}
say(isExact ? "EXACT" : "NOT EXACT");
process.exitCode = isExact ? 0 : 1;

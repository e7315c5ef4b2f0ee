// `npm run soak`: the built product through reconnects, terminals and mixed use, and whether its
// descriptors, processes and memory stay flat.

import { setTimeout as delay } from "node:timers/promises";
import { parseFlags, minutes, wholeNumber } from "../../bench/flags.ts";
import type { Sample } from "./figures.ts";
import { CRITERION, mib, getSlope, unflat } from "./figures.ts";
import { agentCalls, closedTerminal, flood, oneTerminal, verbs, visitors } from "./work.ts";
import { World } from "./world.ts";

const SAMPLE_EVERY_MS = 10_000;
/** For what was asked to end to have ended, and the room to have settled. */
const QUIET_MS = 5_000;
const TERMINALS_AT_ONCE = 4;

const wanted = parseFlags(
  "soak",
  "Drives the built product through reconnects, terminals and mixed use, and says whether its descriptors, processes and memory stay flat. Exits with 1 if they do not.",
)
  .option("--reconnects <number>", "how often the link is cut", wholeNumber, 1000)
  .option("--terminals <number>", "how many are opened and closed", wholeNumber, 500)
  .option("--minutes <number>", "how long the mixed use lasts", minutes, 60)
  .parse()
  .opts<{ reconnects: number; terminals: number; minutes: number }>();

const counts = new Map<string, number>();
const failures: string[] = [];
const say = (text: string) => process.stdout.write(`${text}\n`);

/** A failure is told at the end: the rest is to be soaked all the same. */
async function once(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    counts.set(name, (counts.get(name) ?? 0) + 1);
  } catch (error) {
    failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function times(count: number, atOnce: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function mixedUse(world: World, milliseconds: number, phase: string): Promise<void> {
  const until = Date.now() + milliseconds;
  const standing = await world.open(["/bin/cat"]);
  if (standing === undefined) throw new Error("no terminal to visit");
  const repeat = async (name: string, everyMs: number, work: () => Promise<void>) => {
    while (Date.now() < until) {
      await once(name, work);
      await delay(everyMs);
    }
  };
  const sampler = setInterval(() => world.sample(phase), SAMPLE_EVERY_MS);
  await Promise.all([
    repeat("terminals", 200, () => oneTerminal(world)),
    repeat("closed terminals", 500, () => closedTerminal(world)),
    repeat("floods", 2_000, () => flood(world)),
    repeat("visits", 300, () => visitors(world, standing)),
    repeat("agents", 1_000, () => agentCalls(world)),
    repeat("verbs", 3_000, () => verbs(world)),
  ]);
  clearInterval(sampler);
  await world.close(standing);
}

async function quiet(world: World, phase: string): Promise<Sample> {
  await delay(QUIET_MS);
  return world.sample(phase);
}

function row({ phase, at, processes, parts }: Sample): string {
  const cells = Object.values(parts).map(({ descriptors, sockets, residentKiB }) =>
    `${descriptors} / ${sockets} / ${mib(residentKiB)}`.padEnd(16),
  );
  const time = `${(at / 60_000).toFixed(1)} min`.padStart(9);
  return `${phase.padEnd(20)} ${time}  ${String(processes).padEnd(9)}  ${cells.join("  ")}`;
}

function head({ parts }: Sample): string {
  const cells = Object.keys(parts).map((name) => name.padEnd(16));
  return `${"quiet, after".padEnd(20)} ${"time".padStart(9)}  processes  ${cells.join("  ")}`;
}

const world = await World.start();
try {
  say("warming up …");
  await times(20, 1, () => once("reconnects", () => world.reconnect()));
  await times(60, TERMINALS_AT_ONCE, () => once("terminals", () => oneTerminal(world)));
  await mixedUse(world, 20_000, "warm-up");
  const start = await quiet(world, "warm-up");
  say("descriptors / sockets among them / resident MiB");
  say(head(start));
  say(row(start));
  let end = start;
  const phase = async (name: string, work: () => Promise<void>) => {
    await work();
    end = await quiet(world, name);
    say(row(end));
  };
  await phase(`${wanted.reconnects} reconnects`, () =>
    times(wanted.reconnects, 1, () => once("reconnects", () => world.reconnect())),
  );
  await phase(`${wanted.terminals} terminals`, () =>
    times(wanted.terminals, TERMINALS_AT_ONCE, () => once("terminals", () => oneTerminal(world))),
  );
  await phase(`${wanted.minutes} min mixed`, () =>
    mixedUse(world, wanted.minutes * 60_000, "mixed"),
  );
  const mixed = world.samples.filter(({ phase: name }) => name === "mixed");
  // The first third is warming up to this kind of use.
  const settled = mixed.slice(Math.floor(mixed.length / 3));
  const slopes = Object.keys(start.parts).map(
    (part) => `${part} ${getSlope(settled, part).toFixed(0)}`,
  );
  say(`\nmemory's slope in mixed use, KiB a minute: ${slopes.join(", ")}`);
  say(`done: ${Array.from(counts, ([name, count]) => `${count} ${name}`).join(", ")}`);
  for (const failure of failures.slice(0, 10)) say(`failed: ${failure}`);
  const problems = unflat(start, end);
  say(`\n${CRITERION}`);
  if (failures.length > 0) problems.push(`${failures.length} works failed`);
  say(problems.length === 0 ? "FLAT" : `NOT FLAT: ${problems.join("; ")}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await world[Symbol.asyncDispose]();
}

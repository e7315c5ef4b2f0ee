// Owns the run: `npm run bench [-- --rounds N --json FILE]`. Starts the product and the bare chain,
// measures them in turn, prints one table. The same file, given a role, is one of its processes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runBareHost } from "./bare-host.ts";
import { runBareRelay } from "./bare-relay.ts";
import { BareChain } from "./bare.ts";
import { makeSample } from "./input-file.ts";
import { BULK_BYTES, BULK_WARM_UP_BYTES, DEFAULT_ROUNDS, RUN_TIMEOUT_MS } from "./plan.ts";
import { ProductChain } from "./product.ts";
import { reportOf } from "./report.ts";
import { Role } from "./role.ts";
import { Measuring } from "./rounds.ts";
import { tableOf } from "./table.ts";
import { runViewer } from "./viewer.ts";

const [role, argument = ""] = process.argv.slice(2);
if (role === "bare-host") runBareHost(argument);
else if (role === "bare-relay") await runBareRelay();
else if (role === "viewer") runViewer();
else process.exitCode = await bench();

async function bench(): Promise<number> {
  const { values } = parseArgs({
    options: { rounds: { type: "string" }, json: { type: "string" } },
  });
  const rounds = Number(values.rounds ?? DEFAULT_ROUNDS);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds takes a whole number");
  const folder = mkdtempSync(join(tmpdir(), "pairpty-bench-"));
  const endings: (() => Promise<void> | void)[] = [
    () => rmSync(folder, { recursive: true, force: true }),
  ];
  const interrupted = interruption();
  try {
    await Promise.race([interrupted.promise, measure(rounds, folder, endings, values.json)]);
    return 0;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    interrupted.clear();
    // The last that was started goes first.
    for (const end of endings.toReversed()) await end();
  }
}

async function measure(
  rounds: number,
  folder: string,
  endings: (() => Promise<void> | void)[],
  jsonFile: string | undefined,
): Promise<void> {
  say("starting the product and the bare chain …");
  const product = await ProductChain.start();
  endings.push(() => product.stop());
  const bare = await BareChain.start();
  endings.push(() => bare.stop());
  const viewer = new Role("viewer");
  endings.push(() => viewer.end());
  const products = [product.seenBy("acking"), product.seenBy("silent")];
  const like = bare.as("json");
  const measuring = new Measuring(viewer, [...products, like, bare.as("raw")]);
  await measuring.warmUp(makeSample(folder, BULK_WARM_UP_BYTES));
  const results = await measuring.run(rounds, makeSample(folder, BULK_BYTES), say);
  const names = products.map(({ name }) => name);
  const report = reportOf(results, names, like.name);
  process.stdout.write(`\n${tableOf(report)}`);
  const file = jsonFile ?? join(tmpdir(), "pairpty-bench.json");
  writeFileSync(file, `${JSON.stringify({ ...report, results: [...results] }, null, 2)}\n`);
  say(`all figures are in ${file}`);
}

/** Rejects at a signal or when the run takes too long, so that everything started is still ended. */
function interruption(): { promise: Promise<never>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<never>((_, reject) => {
    const stop = (reason: string) => reject(new Error(`stopped: ${reason}`));
    timer = setTimeout(() => stop("the run took too long"), RUN_TIMEOUT_MS);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop(signal));
  });
  return { promise, clear: () => clearTimeout(timer) };
}

function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}

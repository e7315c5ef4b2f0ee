// Owns the run: `npm run bench [-- --rounds N --json FILE --peers DIR]`. Measures agents' calls, then
// the product and the bare chain in turn; prints a table of each. The same file, given a role, is
// one of its processes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runBareHost } from "./bare-host.ts";
import { runBareRelay } from "./bare-relay.ts";
import { BareChain } from "./bare.ts";
import { makeSample } from "./input-file.ts";
import { measureMcp } from "./mcp/measure.ts";
import { mcpReportOf, mcpTableOf } from "./mcp/report.ts";
import { BULK_BYTES, BULK_WARM_UP_BYTES, DEFAULT_ROUNDS, RUN_TIMEOUT_MS } from "./plan.ts";
import { ProductChain } from "./product.ts";
import type { Report } from "./report.ts";
import { reportOf } from "./report.ts";
import { Role } from "./role.ts";
import type { Rounds } from "./rounds.ts";
import { Measuring } from "./rounds.ts";
import { tableOf } from "./table.ts";
import { runViewer } from "./viewer.ts";

const [role, argument = ""] = process.argv.slice(2);
if (role === "bare-host") runBareHost(argument);
else if (role === "bare-relay") await runBareRelay();
else if (role === "viewer") runViewer();
else process.exitCode = await bench();

type Endings = (() => Promise<void> | void)[];

async function bench(): Promise<number> {
  const { values } = parseArgs({
    options: { rounds: { type: "string" }, json: { type: "string" }, peers: { type: "string" } },
  });
  const rounds = Number(values.rounds ?? DEFAULT_ROUNDS);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds takes a whole number");
  const folder = mkdtempSync(join(tmpdir(), "pairpty-bench-"));
  const endings: Endings = [() => rmSync(folder, { recursive: true, force: true })];
  const interrupted = interruption();
  try {
    await Promise.race([interrupted.promise, measure(rounds, folder, endings, values)]);
    return 0;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    interrupted.clear();
    await endAll(endings);
  }
}

async function measure(
  rounds: number,
  folder: string,
  endings: Endings,
  { json, peers }: { json?: string | undefined; peers?: string | undefined },
): Promise<void> {
  say("agents' calls …");
  const agentsEndings: Endings = [];
  endings.push(() => endAll(agentsEndings));
  const mcp = mcpReportOf(await measureMcp(folder, peers, agentsEndings));
  await endAll(agentsEndings);
  process.stdout.write(`\n${mcpTableOf(mcp)}\n`);
  const { report, results } = await measureChains(rounds, folder, endings);
  process.stdout.write(`\n${tableOf(report)}`);
  const file = json ?? join(tmpdir(), "pairpty-bench.json");
  writeFileSync(file, `${JSON.stringify({ ...report, mcp, results: [...results] }, null, 2)}\n`);
  say(`all figures are in ${file}`);
}

async function measureChains(
  rounds: number,
  folder: string,
  endings: Endings,
): Promise<{ report: Report; results: Rounds }> {
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
  return { report: reportOf(results, names, like.name), results };
}

/** The last that was started goes first; each once, and what is started meanwhile too. */
async function endAll(endings: Endings): Promise<void> {
  for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end();
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

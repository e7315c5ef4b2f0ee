// Owns the run of `npm run bench`. Measures the product, the bare chain and the peers that are here,
// row by row; prints one table and writes the figures as JSON; `--chart` draws what the file has.
// Given a role, it is one of its own processes.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBareHost } from "./bare-host.ts";
import { Bench } from "./bench.ts";
import { drawCharts } from "./chart.ts";
import type { Section } from "./figures.ts";
import { parseFlags, positiveNumber, pickSome } from "./flags.ts";
import { FULL, FULL_TIMEOUT_MS, SHORT, SHORT_TIMEOUT_MS } from "./plan.ts";
import { runRoomSource } from "./room-source.ts";
import { loadNow, machineNow, writeResults } from "./results.ts";
import type { Results } from "./results.ts";
import { acpRows } from "./rows/acp.ts";
import { agentRows } from "./rows/agents.ts";
import { attachRows } from "./rows/attach.ts";
import { badNetworkRows } from "./rows/bad-network.ts";
import { besideCrowdRows } from "./rows/beside-crowd.ts";
import { costRows } from "./rows/cost.ts";
import { watchedRows } from "./rows/watched.ts";
import { echoRows } from "./rows/echo.ts";
import { fanOutRows } from "./rows/fan-out.ts";
import { isolationRows } from "./rows/isolation.ts";
import { interruptRows } from "./rows/interrupt.ts";
import { pageRows } from "./rows/page.ts";
import { recordingRows } from "./rows/recording.ts";
import { screenRows } from "./rows/screens.ts";
import { stalledRows } from "./rows/stalled.ts";
import { startRows } from "./rows/start.ts";
import { strangerRows } from "./rows/strangers.ts";
import { terminalRows } from "./rows/terminals.ts";
import { throughputRows } from "./rows/throughput.ts";
import { viewerRows } from "./rows/viewers.ts";
import { runStrangers } from "./strangers.ts";
import { formatTable } from "./table.ts";
import { runCrowd } from "./viewer/crowd.ts";
import { runViewer } from "./viewer/viewer.ts";

const SECTIONS = {
  echo: echoRows,
  throughput: throughputRows,
  interrupt: interruptRows,
  viewers: viewerRows,
  "fan-out": fanOutRows,
  "beside-crowd": besideCrowdRows,
  stalled: stalledRows,
  strangers: strangerRows,
  "bad-network": badNetworkRows,
  cost: costRows,
  watched: watchedRows,
  attach: attachRows,
  terminals: terminalRows,
  start: startRows,
  agents: agentRows,
  acp: acpRows,
  isolation: isolationRows,
  screens: screenRows,
  recording: recordingRows,
  page: pageRows,
} as const;
type SectionName = keyof typeof SECTIONS;

const SECTION_NAMES = Object.keys(SECTIONS).filter(isSection);

/** Committed: the README's chart and the plots in docs/ are made from it. */
const RESULTS = join(import.meta.dirname, "..", "..", "bench", "results.json");

const [role, argument = ""] = process.argv.slice(2);
if (role === "bare-host") runBareHost(argument);
else if (role === "viewer") runViewer();
else if (role === "crowd") runCrowd();
else if (role === "strangers") runStrangers();
else if (role === "room-source") await runRoomSource(argument);
else process.exitCode = await bench();

interface Flags {
  readonly full?: boolean;
  readonly only?: readonly SectionName[];
  readonly rounds?: number;
  readonly json?: string;
  readonly chart?: boolean;
}

async function bench(): Promise<number> {
  const values = parseFlags(
    "bench",
    "Measures the product beside the least chain that could do the same, and beside those of the others that are installed (in PATH, or in the folder PAIRPTY_BENCH_PEERS). Prints one table.",
  )
    .option("--full", "more rounds and longer waits: about half an hour")
    .option(
      "--only <sections>",
      `some of ${SECTION_NAMES.join(", ")}; with commas between`,
      pickSome("section", SECTION_NAMES),
    )
    .option("--rounds <number>", "how often each figure is taken", positiveNumber)
    .option("--json <file>", "where the figures go (default: bench/results.json)")
    .option("--chart", "measure nothing; draw charts and tables from the file")
    .parse()
    .opts<Flags>();
  const file = values.json ?? RESULTS;
  if (values.chart === true) return draw(file);
  const names = values.only ?? SECTION_NAMES;
  const folder = mkdtempSync(join(tmpdir(), "pairpty-bench-"));
  const plan = values.full === true ? FULL : SHORT;
  const rounds = values.rounds ?? plan.rounds;
  const run = new Bench({ ...plan, rounds }, folder, process.env["PAIRPTY_BENCH_PEERS"]);
  const interrupted = interruption(values.full === true ? FULL_TIMEOUT_MS : SHORT_TIMEOUT_MS);
  const sections: Section[] = [];
  const loadBefore = loadNow();
  try {
    await Promise.race([interrupted.promise, measure(run, names, sections)]);
  } catch (error) {
    run.note(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  } finally {
    interrupted.clear();
    await run.end();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  const mode = values.full === true ? "full" : "short";
  const machine = machineNow(loadBefore);
  const results: Results = { mode, rounds, machine, sections, notes: run.notes };
  process.stdout.write(`\n${formatTable(results)}`);
  writeResults(file, results, values.only !== undefined);
  say(`all figures are in ${file}`);
  return Number(process.exitCode ?? 0);
}

function draw(file: string): number {
  const drawn = drawCharts(file);
  if (drawn.length === 0) say(`${file} has no results to draw; run npm run bench first`);
  for (const path of drawn) say(`drew ${path}`);
  return drawn.length === 0 ? 1 : 0;
}

/** Whatever stops it, what was measured by then is in `sections`. */
async function measure(
  run: Bench,
  names: readonly SectionName[],
  sections: Section[],
): Promise<void> {
  const beganAt = performance.now();
  for (const name of names) {
    say(`${name} …`);
    try {
      sections.push({ name, rows: await SECTIONS[name](run) });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      say(`${name} failed: ${why}`);
      run.note(`${name} gave no figures: ${why}`);
    }
  }
  run.note(`${names.length} sections in ${Math.round((performance.now() - beganAt) / 1000)} s.`);
}

function isSection(name: string): name is SectionName {
  return name in SECTIONS;
}

/** Rejects at a signal or when the run takes too long, so that everything started is still ended. */
function interruption(timeoutMs: number): { promise: Promise<never>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<never>((_, reject) => {
    const stop = (reason: string) => reject(new Error(`stopped: ${reason}`));
    timer = setTimeout(() => stop("the run took too long"), timeoutMs);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop(signal));
  });
  return { promise, clear: () => clearTimeout(timer) };
}

function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}

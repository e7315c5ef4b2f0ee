// Owns a program for a terminal that asks it everything and writes down what was typed in answer.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { until } from "./waiting.ts";

const ESC = "\u001B";

const ST = `(?:\u0007|${ESC}\\\\)`;
const COLOUR = `rgb:[\\da-f]+/[\\da-f]+/[\\da-f]+${ST}`;

/** What is asked, and the form of its answer, both behind ESC. */
const ASKED: readonly (readonly [string, string])[] = [
  ["[c", "\\[\\?[\\d;]+c"],
  ["[>c", "\\[>[\\d;]+c"],
  ["[5n", "\\[0n"],
  ["[6n", "\\[\\d+;\\d+R"],
  ["[?6n", "\\[\\?\\d+;\\d+(?:;\\d+)?R"],
  ["[?25$p", "\\[\\?25;\\d\\$y"],
  ["[?2004$p", "\\[\\?2004;\\d\\$y"],
  [`]10;?${ESC}\\`, `\\]10;${COLOUR}`],
  [`]11;?${ESC}\\`, `\\]11;${COLOUR}`],
  [`]4;1;?${ESC}\\`, `\\]4;1;${COLOUR}`],
  [`P$qm${ESC}\\`, `P[01]\\$r[\\d;]*m${ESC}\\\\`],
];

const QUERIES = ASKED.map(([query]) => ESC + query);
/** In the order of the queries. */
export const ANSWERS = ASKED.map(([, answer]) => new RegExp(`^${ESC}${answer}$`));

/** A second answer comes within this, or among the next ones. */
const SETTLE_MS = 60;
const ANSWER_MS = 5_000;
const LONG_MS = 40_000;

export class AskingProgram {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    writeFileSync(path, source(`${path}.heard`));
  }

  get command(): string[] {
    return [process.execPath, this.#path];
  }

  /** What was typed behind each query, and at last what came when nothing was asked any more. */
  async received(): Promise<string[]> {
    const file = `${this.#path}.heard`;
    await until("the program has asked everything", () => existsSync(file), {
      milliseconds: LONG_MS,
    });
    return JSON.parse(readFileSync(file, "utf8"));
  }
}

function source(result: string): string {
  return `
import { renameSync, writeFileSync } from "node:fs";
let heard = "";
let wake = () => {};
process.stdin.setRawMode(true);
process.stdin.on("data", (data) => {
  heard += data.toString("latin1");
  wake();
});
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const answers = [];
for (const query of ${JSON.stringify(QUERIES)}) {
  heard = "";
  const answered = new Promise((resolve) => (wake = resolve));
  process.stdout.write(query);
  await Promise.race([answered, pause(${ANSWER_MS})]);
  await pause(${SETTLE_MS});
  answers.push(heard);
}
heard = "";
await pause(${10 * SETTLE_MS});
const file = ${JSON.stringify(result)};
writeFileSync(file + ".new", JSON.stringify([...answers, heard]));
renameSync(file + ".new", file);
process.exit();
`;
}

// Owns a program for a terminal that asks it everything and writes down what was typed in answer.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { until } from "./waiting.ts";

const ESC = "\u001B";

export const QUERIES = [
  `${ESC}[c`,
  `${ESC}[>c`,
  `${ESC}[5n`,
  `${ESC}[6n`,
  `${ESC}[?6n`,
  `${ESC}[?25$p`,
  `${ESC}[?2004$p`,
  `${ESC}]10;?${ESC}\\`,
  `${ESC}]11;?${ESC}\\`,
  `${ESC}]4;1;?${ESC}\\`,
  `${ESC}P$qm${ESC}\\`,
];

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
  async heard(): Promise<string[]> {
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

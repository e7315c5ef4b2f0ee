// Owns one round: three viewers of one terminal, something that is broken while its program prints,
// and whether each viewer showed every line once.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Place, Product } from "../support/product.ts";
import { until } from "../support/waiting.ts";
import { ExampleViewer } from "./example-viewer.ts";
import type { Kind } from "./kinds.ts";
import { wrongLine } from "./lines.ts";
import { PageViewer } from "./page-viewer.ts";

/** About 1.4 MB: below what is retained, so that nothing need be lost whatever is broken. */
const LINES = 200_000;

/** What is broken first: at any moment of the first half second. */
const BREAKS_WITHIN_MS = 500;

/** From the mending on. */
const PATIENCE_MS = 60_000;

export interface Inexact {
  readonly viewer: string;
  readonly what: string;
}

/** Waits for a word, then prints the numbers from 1 on, evenly in so many ms, each on a line. */
const PROGRAM = `
const [lines, ms] = process.argv.slice(2).map(Number);
process.stdin.once("data", () => {
  process.stdin.pause();
  const began = performance.now();
  let at = 0;
  const timer = setInterval(() => {
    const to = Math.min(lines, Math.ceil(((performance.now() - began) / ms) * lines));
    let text = "";
    while (at < to) text += ++at + "\\n";
    process.stdout.write(text);
    if (at === lines) clearInterval(timer);
  }, 10);
});
`;

interface Viewer {
  readonly text: string;
  readonly starts: number;
  attached(): Promise<void>;
  exited(milliseconds: number): Promise<void>;
  stop(): void;
}

/** What was not exact, and the bridge that is there afterwards. */
export async function round(
  kind: Kind,
  place: Place,
  product: Product,
): Promise<{ product: Product; inexact: Inexact[] }> {
  const program = join(place.root, "numbers.cjs");
  writeFileSync(program, PROGRAM);
  const { links, endpoints, tokens } = product.ready;
  const numbers = [process.execPath, program, String(LINES), String(kind.printsMs)];
  const plain = new ExampleViewer("plain-client.mjs", place, [links.edit, ...numbers]);
  const viewers = new Map<string, Viewer>([["plain example", plain]]);
  try {
    const id = await createTerminal(product);
    viewers.set("page", new PageViewer(endpoints.peer, tokens.edit, id));
    viewers.set("raw example", new ExampleViewer("raw-client.mjs", place, [links.view, id]));
    for (const [name, viewer] of viewers) if (name !== "plain example") await viewer.attached();
    plain.type("go\n");
    await plain.attached();
    await pause(Math.random() * BREAKS_WITHIN_MS);
    const next = await kind.breaks({ place, product });
    const inexact: Inexact[] = [];
    for (const [name, viewer] of viewers) {
      const what = await seen(viewer, kind.printsMs + PATIENCE_MS);
      if (what !== undefined) inexact.push({ viewer: name, what });
    }
    return { product: next, inexact };
  } finally {
    for (const viewer of viewers.values()) viewer.stop();
  }
}

async function seen(viewer: Viewer, milliseconds: number): Promise<string | undefined> {
  try {
    await viewer.exited(milliseconds);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (viewer.starts > 1) return `${viewer.starts - 1} new starts`;
  return wrongLine(viewer.text, LINES);
}

/** The only one there is. */
async function createTerminal(product: Product): Promise<string> {
  let id: string | undefined;
  await until("the plain example started a terminal", async () => {
    // A connection that was kept since before the last kill may fail.
    const answer = await product.http("/pty").catch(() => undefined);
    const listed: { id: string }[] = answer?.ok === true ? await answer.json() : [];
    id = listed[0]?.id;
    return id !== undefined;
  });
  if (id === undefined) throw new Error("no terminal is listed");
  return id;
}

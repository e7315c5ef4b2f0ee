// Owns the clients of docs/examples as they stand, each in a process of its own.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Place } from "../support/product.ts";
import { within } from "../support/waiting.ts";

/** What the raw client clears the screen with for a snapshot. */
const CLEAN = "\u001Bc";

export class ExampleViewer {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #out: Buffer[] = [];
  readonly #first: Promise<unknown>;
  readonly #gone: Promise<unknown>;

  constructor(name: "plain-client.mjs" | "raw-client.mjs", place: Place, args: readonly string[]) {
    this.name = name;
    this.#child = spawn(process.execPath, [join("docs", "examples", name), ...args], {
      env: place.environment,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error("no stdout");
    stdout.on("data", (chunk: Buffer) => void this.#out.push(chunk));
    this.#first = once(stdout, "data");
    this.#gone = once(this.#child, "close");
  }

  /** What it showed last of all that it cleared the screen for. */
  get text(): string {
    return this.#all().split(CLEAN).at(-1) ?? "";
  }

  get starts(): number {
    return this.#all().split(CLEAN).length - 1;
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  async attached(): Promise<void> {
    await within(this.#first, `${this.name} was not attached`);
  }

  async exited(milliseconds: number): Promise<void> {
    await within(this.#gone, `${this.name} saw no exit`, milliseconds);
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }

  #all(): string {
    return Buffer.concat(this.#out).toString();
  }
}

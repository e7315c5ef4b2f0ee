// Owns running the built command line on a real PTY, as a person would: what it shows, what is typed.

import { stripVTControlCharacters } from "node:util";
import type { IPty } from "node-pty";
import { spawn } from "node-pty";
import type { Place } from "./product.ts";
import { CLI } from "./product.ts";
import { untilWoken, within } from "./waiting.ts";

const WAIT_MS = 20_000;

export class OnTerminal {
  readonly #pty: IPty;
  readonly #watchers = new Set<() => void>();
  readonly #exit: Promise<number>;
  #output = "";
  #ended = false;

  constructor(place: Place, args: string[], extra: NodeJS.ProcessEnv = {}) {
    this.#pty = spawn(process.execPath, [CLI, ...args], {
      cwd: place.folder,
      env: { ...place.environment, TERM: "xterm-256color", ...extra },
      cols: 160,
      rows: 50,
    });
    this.#pty.onData((data) => {
      this.#output += data;
      this.#wake();
    });
    this.#exit = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        this.#ended = true;
        this.#wake();
        resolve(exitCode);
      });
    });
  }

  /** Everything so far, as it came. */
  get raw(): string {
    return this.#output;
  }

  /** Everything so far, without colours and movements. */
  get text(): string {
    return stripVTControlCharacters(this.#output);
  }

  async shows(expected: string | RegExp): Promise<void> {
    await untilWoken(
      this.#watchers,
      () =>
        typeof expected === "string" ? this.text.includes(expected) : expected.test(this.text),
      WAIT_MS,
      () => `${String(expected)} was not shown. Shown:\n${this.text}`,
      () => this.#ended,
    );
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  resize(cols: number, rows: number): void {
    this.#pty.resize(cols, rows);
  }

  /** The window is closed. */
  hangUp(): void {
    this.#pty.kill("SIGHUP");
  }

  async ends(): Promise<number> {
    return await within(this.#exit, () => `it did not end. Shown:\n${this.text}`, WAIT_MS);
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

export const DOWN = "\u001b[B";
export const ENTER = "\r";
export const INTERRUPT = "\u0003";

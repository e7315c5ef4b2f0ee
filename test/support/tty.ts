// Owns a program on a real PTY, and the screen that a person would see.

import { execFileSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import headless from "@xterm/headless";
import { Pty } from "../../bridge/pty-host/pty.ts";
import type { Exit } from "../../protocol/terminal.ts";
import { untilWoken, within } from "./waiting.ts";

export interface TtyOptions {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly columns?: number;
  readonly rows?: number;
}

export class Tty {
  readonly #pty: Pty;
  readonly #screen: headless.Terminal;
  readonly #watchers = new Set<() => void>();
  readonly exited: Promise<Exit>;
  #ended = false;
  /** Everything printed, escapes and all. */
  raw = "";

  constructor([file = "", ...args]: string[], options: TtyOptions) {
    const { cwd, environment, columns: cols = 100, rows = 40 } = options;
    this.#screen = new headless.Terminal({ cols, rows, scrollback: 500, allowProposedApi: true });
    const env = Object.fromEntries(
      Object.entries(environment).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    );
    const decoder = new StringDecoder();
    let exited: (exit: Exit) => void = () => {};
    this.exited = new Promise((resolve) => {
      exited = resolve;
    });
    this.#pty = new Pty(
      { file, args, env, cwd, cols, rows },
      {
        bytes: (chunk) => {
          const bytes = Buffer.from(chunk);
          this.raw += decoder.write(bytes);
          this.#screen.write(bytes);
          this.#wake();
        },
        exited: (exit) => {
          this.#ended = true;
          exited(exit);
          this.#wake();
        },
      },
      () => {},
    );
  }

  get pid(): number {
    return this.#pty.pid;
  }

  type(text: string): void {
    this.#pty.write(Buffer.from(text));
  }

  signal(name: string): void {
    this.#pty.signal(name);
  }

  /** What is printed from `from` on fits. */
  async shows(part: RegExp, from = 0): Promise<string> {
    return await untilWoken(
      this.#watchers,
      () => part.exec(this.raw.slice(from))?.[0],
      15_000,
      () => `${String(part)} was not shown; the end is ${JSON.stringify(this.raw.slice(-600))}`,
      () => this.#ended,
    );
  }

  /** The lines as they stand, those scrolled away too. */
  async lines(): Promise<string[]> {
    await new Promise<void>((resolve) => this.#screen.write("", resolve));
    const { active } = this.#screen.buffer;
    const all = Array.from({ length: active.length }, (_, row) =>
      active.getLine(row)?.translateToString(true),
    );
    return all.map((line) => line ?? "");
  }

  /** Local modes as `stty` says them; one that is off has a dash. */
  modes(): { raw: boolean; echo: boolean; lineEnds: boolean } {
    const path = readlinkSync(`/proc/${this.#pty.pid}/fd/0`);
    const told = execFileSync("stty", ["-F", path, "-a"], { encoding: "utf8" });
    const on = (name: string) => new RegExp(`(?<![-\\w])${name}\\b`).test(told);
    return { raw: !on("isig"), echo: on("echo"), lineEnds: on("opost") && on("onlcr") };
  }

  async ends(): Promise<Exit> {
    return await within(
      this.exited,
      () => `it runs on; the end is ${this.raw.slice(-300)}`,
      15_000,
    );
  }

  [Symbol.dispose](): void {
    this.#pty.signal("SIGKILL");
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

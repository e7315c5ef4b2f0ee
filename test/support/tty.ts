// Owns a program on a real PTY, as a person would run it: what is typed, what it shows, the screen.

import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";
import headless from "@xterm/headless";
import { Pty } from "../../bridge/pty-host/pty.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { Place } from "./product.ts";
import { CLI } from "./product.ts";
import { PATIENCE_MS, untilWoken, within } from "./waiting.ts";

/** A colour terminal, and nothing of the machine that runs the test. */
export const BARE = {
  TERM: "xterm-256color",
  CI: undefined,
  NO_COLOR: undefined,
  FORCE_COLOR: undefined,
  DISPLAY: undefined,
  WAYLAND_DISPLAY: undefined,
  WSL_DISTRO_NAME: undefined,
  TMUX: undefined,
};

export const DOWN = "\u001B[B";
export const ENTER = "\r";
export const INTERRUPT = "\u0003";

export interface TtyOptions {
  /** Where it is run; the place's folder unless given. */
  readonly folder?: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly columns?: number;
  readonly rows?: number;
}

export class Tty {
  readonly #pty: Pty;
  readonly #screen: headless.Terminal;
  readonly #watchers = new Set<() => void>();
  readonly #exited: Promise<Exit>;
  #ended = false;
  /** Everything printed, escapes and all. */
  raw = "";

  /** Any program, in a test's place. */
  constructor(place: Place, [file = "", ...args]: string[], options: TtyOptions = {}) {
    const { folder = place.folder, environment = {}, columns: cols = 160, rows = 50 } = options;
    this.#screen = new headless.Terminal({ cols, rows, scrollback: 500, allowProposedApi: true });
    const all = { ...place.environment, ...BARE, ...environment };
    const env = Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const decoder = new StringDecoder();
    let exited: (exit: Exit) => void = () => {};
    this.#exited = new Promise((resolve) => {
      exited = resolve;
    });
    this.#pty = new Pty(
      { file, args, env, cwd: folder, cols, rows },
      {
        onBytes: (chunk) => {
          const bytes = Buffer.from(chunk);
          this.raw += decoder.write(bytes);
          this.#screen.write(bytes);
          this.#wake();
        },
        onExited: (exit) => {
          this.#ended = true;
          exited(exit);
          this.#wake();
        },
      },
      () => {},
    );
  }

  /** The built command line. */
  static pairpty(place: Place, args: string[], options: TtyOptions = {}): Tty {
    return new Tty(place, [process.execPath, CLI, ...args], options);
  }

  /** Everything printed, without colours and movements. */
  get text(): string {
    return stripVTControlCharacters(this.raw);
  }

  type(text: string): void {
    this.#pty.write(Buffer.from(text));
  }

  resize(columns: number, rows: number): void {
    this.#pty.resize(columns, rows);
    this.#screen.resize(columns, rows);
  }

  signal(name: string): void {
    this.#pty.signal(name);
  }

  /** The window is closed. */
  hangUp(): void {
    this.#pty.signal("SIGHUP");
  }

  /** What is printed from `from` on, without its colours and movements, has this in it. */
  async shows(part: string | RegExp, from = 0): Promise<string> {
    return await untilWoken(
      this.#watchers,
      () => found(part, stripVTControlCharacters(this.raw.slice(from))),
      PATIENCE_MS,
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
    const settings = execFileSync("stty", ["-F", path, "-a"], { encoding: "utf8" });
    const on = (name: string) => new RegExp(`(?<![-\\w])${name}\\b`).test(settings);
    return { raw: !on("isig"), echo: on("echo"), lineEnds: on("opost") && on("onlcr") };
  }

  /** The program itself has the keys, not one that it started. */
  hasKeys(): boolean {
    const stat = readFileSync(`/proc/${this.#pty.pid}/stat`, "utf8");
    // Behind the name, which may hold anything: state, parent, group, session, terminal, its group.
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return group === foreground;
  }

  /** Its exit code; null when a signal ended it. */
  async ends(): Promise<number | null> {
    const { exitCode } = await within(
      this.#exited,
      () => `it runs on; the end is ${this.raw.slice(-300)}`,
    );
    return exitCode;
  }

  [Symbol.dispose](): void {
    this.#pty.signal("SIGKILL");
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

function found(part: string | RegExp, text: string): string | undefined {
  if (typeof part !== "string") return part.exec(text)?.[0];
  return text.includes(part) ? part : undefined;
}

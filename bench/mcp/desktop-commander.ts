// Owns a peer to compare with, when somebody has installed it: @wonderwhy-er/desktop-commander over
// stdio, in a home of its own. It is never a dependency; `PAIRPTY_BENCH_PEERS` says where it is.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { endProcess, recordProcess } from "../../bridge/processes/process-record.ts";
import type { Side } from "./side.ts";
import { HISTORY_MARK, SPAWN_MARK } from "./side.ts";

export const DESKTOP_COMMANDER = "@wonderwhy-er/desktop-commander";

const END_MS = 3_000;
/** It starts a `python3 --version` in each call, and waits for it (0.2.52): some 0.1 s. */
const PORTION = 0.1;
/** It gives lines, and from the end when asked for a negative offset; more than there are. */
const ALL_LINES = 5_000;

interface Answer {
  readonly id?: number;
  readonly result?: { readonly content?: { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly message: string };
}

/** Its program's file, or undefined when it is not installed. */
export function findDesktopCommander(peers: string | undefined): string | undefined {
  const from = peers === undefined ? import.meta.url : join(peers, "package.json");
  try {
    return createRequire(from).resolve(`${DESKTOP_COMMANDER}/dist/index.js`);
  } catch {
    return undefined;
  }
}

export class DesktopCommander {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;
  #historyPid = 0;
  #spawned = 0;
  #withoutOutput = 0;

  constructor(file: string, parent: string) {
    const home = join(parent, "desktop-commander");
    // It looks for a browser and downloads one: this is the place it looks at first.
    const browser = join(home, ".claude-server-commander/puppeteer-cache/chrome/0/chrome-linux64");
    mkdirSync(browser, { recursive: true });
    writeFileSync(join(browser, "chrome"), "");
    this.#child = spawn(process.execPath, [file, "--no-onboarding"], {
      cwd: home,
      env: {
        ...process.env,
        HOME: home,
        SHELL: "/bin/sh",
        DESKTOP_COMMANDER_DISABLE_TELEMETRY: "1",
        DC_FLAG_URL: "http://127.0.0.1:9/",
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
    if (this.#child.stdout === null) throw new Error("no stdout");
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const answer: Answer = JSON.parse(line);
      if (answer.id !== undefined) this.#waiting.get(answer.id)?.(answer);
    });
  }

  async side(historyFile: string): Promise<Side> {
    const clientInfo = { name: "bench", version: "1" };
    const protocolVersion = "2025-06-18";
    await this.#ask("initialize", { protocolVersion, capabilities: {}, clientInfo });
    this.#send({ method: "notifications/initialized" });
    const command = `cat '${historyFile}'; printf ${HISTORY_MARK}; exec sleep 600`;
    const started = await this.#call("start_process", { command, timeout_ms: 2_000 });
    const pid = Number(/PID (\d+)/.exec(started)?.[1]);
    this.#historyPid = pid;
    const everything = { offset: -ALL_LINES, length: ALL_LINES };
    return {
      name: "desktop-commander, stdio",
      portion: PORTION,
      calls: {
        list: () => this.#call("list_sessions", {}),
        read: () => this.#call("read_process_output", { pid, ...everything }),
        // It has no shorter way to a command's end.
        bash: () => this.#spawnEcho(),
        spawn: () => this.#spawnEcho(),
      },
      marks: {
        list: String(pid),
        read: HISTORY_MARK,
        bash: "Process completed",
        spawn: "Process completed",
      },
    };
  }

  /** What a reader of its figures should know. */
  get note(): string {
    const lost = `${this.#withoutOutput} of ${this.#spawned}`;
    return `desktop-commander: list_sessions, read_process_output, start_process; ${lost} spawns were told without their output.`;
  }

  async stop(): Promise<void> {
    const { pid } = this.#child;
    if (this.#historyPid > 0) await endProcess(recordProcess(this.#historyPid), END_MS);
    this.#historyPid = 0;
    if (pid === undefined || this.#child.exitCode !== null) return;
    await endProcess(recordProcess(pid), END_MS);
  }

  /** The first answer may have the output; only the second says that the process is over. */
  async #spawnEcho(): Promise<string> {
    const command = `echo ${SPAWN_MARK}`;
    const started = await this.#call("start_process", { command, timeout_ms: 10_000 });
    const pid = Number(/PID (\d+)/.exec(started)?.[1]);
    const read = await this.#call("read_process_output", { pid, offset: -ALL_LINES });
    this.#spawned++;
    if (!(started + read).includes(SPAWN_MARK)) this.#withoutOutput++;
    return read;
  }

  async #call(name: string, args: object): Promise<string> {
    const { result } = await this.#ask("tools/call", { name, arguments: args });
    const text = result?.content?.[0]?.text;
    if (text === undefined || result?.isError === true) throw new Error(`${name}: ${text}`);
    return text;
  }

  #ask(method: string, params: object): Promise<Answer> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

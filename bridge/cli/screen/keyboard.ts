// Owns the terminal's raw mode: reads single keys while open, and restores the terminal on exit,
// Ctrl-Z, hang-up or in the background. Node's raw mode keeps the translation of line ends, so
// output does not stair-step. Detects whether this process is in its terminal's foreground: the
// kernel stops a background process that reads it or changes its modes.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A stop takes effect at once if a shell can resume us; without one it never does. */
const SUSPEND_TIMEOUT_MS = 100;

export class Keyboard {
  readonly #onInput: (input: string) => void;
  readonly #onChange: (isOpen: boolean) => void;
  #raw = false;
  #closed = false;
  #isLent = false;

  /** `onChange` fires when keys start or stop arriving. */
  constructor(onInput: (input: string) => void, onChange: (isOpen: boolean) => void) {
    this.#onInput = onInput;
    this.#onChange = onChange;
    process.stdin.setEncoding("utf8");
    process.stdin.on("data", this.#onData);
    // The window is gone; SIGHUP follows.
    process.stdin.on("error", this.#onGone);
    process.on("SIGTSTP", this.#onStop);
    process.on("SIGCONT", this.#enter);
    this.#enter();
  }

  /** True while keys arrive: raw mode is on and the process is in the foreground. */
  get isOpen(): boolean {
    return this.#raw;
  }

  close(): void {
    if (this.#closed) return;
    this.#leave();
    this.#closed = true;
    process.stdin.off("data", this.#onData);
    process.off("SIGTSTP", this.#onStop);
    process.off("SIGCONT", this.#enter);
    // On exit Node restores a terminal that ever was raw, and the kernel would stop a background
    // process for that (libuv 1.46: uv_tty_reset_mode). It does not if the handle is closed.
    if (!isForeground()) process.stdin.destroy();
  }

  /** Lets another program read the keys while `use` runs. */
  async lendTo(use: () => Promise<void>): Promise<void> {
    this.#leave();
    this.#isLent = true;
    try {
      await use();
    } finally {
      this.#isLent = false;
      this.#enter();
    }
  }

  /** Signals the process group, as the kernel does for these keys outside raw mode. */
  signalGroup(signal: "SIGINT" | "SIGQUIT" | "SIGTSTP"): void {
    if (signal === "SIGTSTP") return this.#suspend(0);
    if (signal === "SIGQUIT") this.#leave();
    process.kill(0, signal);
    return undefined;
  }

  #onData = (input: string): void => {
    if (this.#raw) this.#onInput(input);
  };

  #onGone = (): void => this.#setOpen(false);

  #onStop = (): void => this.#suspend(process.pid);

  #suspend(target: number): void {
    this.#leave();
    // Without our listener, the signal's default action stops the process, if a shell can resume
    // it.
    process.off("SIGTSTP", this.#onStop);
    process.kill(target, "SIGTSTP");
    setTimeout(this.#enter, SUSPEND_TIMEOUT_MS);
  }

  #enter = (): void => {
    if (this.#closed || this.#isLent) return;
    if (!process.listeners("SIGTSTP").includes(this.#onStop)) process.on("SIGTSTP", this.#onStop);
    if (!isForeground()) return this.#stopReading();
    // Off, then on: a shell may have changed the modes without Node noticing.
    this.#setRaw(false);
    this.#setOpen(this.#setRaw(true));
    process.stdin.resume();
    return undefined;
  };

  #leave(): void {
    if (!this.#raw) return;
    this.#setRaw(false);
    this.#stopReading();
  }

  #stopReading(): void {
    this.#setOpen(false);
    process.stdin.pause();
  }

  /** Returns whether raw mode is on; false also if the terminal is gone. */
  #setRaw(raw: boolean): boolean {
    try {
      process.stdin.setRawMode(raw);
      return raw;
    } catch {
      return false;
    }
  }

  #setOpen(raw: boolean): void {
    if (this.#raw === raw) return;
    this.#raw = raw;
    this.#onChange(raw);
  }
}

export function isForeground(): boolean {
  const [group, foreground] =
    process.platform === "linux" ? readGroupsFromProc() : readGroupsFromPs();
  return group !== undefined && group === foreground;
}

/**
 * Reads the fields after the name, which may contain anything: state, parent, group, session, tty,
 * foreground group.
 */
function readGroupsFromProc(): (string | undefined)[] {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [fields[2], fields[5]];
}

function readGroupsFromPs(): (string | undefined)[] {
  try {
    const args = ["-o", "pgid=,tpgid=", "-p", String(process.pid)];
    return execFileSync("ps", args, { encoding: "utf8" }).trim().split(/\s+/);
  } catch {
    return [];
  }
}

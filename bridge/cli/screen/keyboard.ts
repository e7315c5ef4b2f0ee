// Owns the terminal's raw mode: single keys come in while it is open, and whatever happens (exit,
// Ctrl-Z, hang-up, the background) the terminal is left as it was found. Raw mode as Node sets it
// keeps the translation of line ends, so nobody's output stair-steps.

import { isForeground } from "./foreground.ts";

/** A stop takes effect at once, where there is a shell to wake us; where none is, it never does. */
const STOPPED_BY_MS = 100;

export class Keyboard {
  readonly #onInput: (input: string) => void;
  readonly #onChange: (isOpen: boolean) => void;
  #raw = false;
  #closed = false;
  #lent = false;

  /** `onChange`: keys arrive from now on, or no longer. */
  constructor(onInput: (input: string) => void, onChange: (isOpen: boolean) => void) {
    this.#onInput = onInput;
    this.#onChange = onChange;
    process.stdin.setEncoding("utf8");
    process.stdin.on("data", this.#onData);
    // The window is gone; SIGHUP says so, too.
    process.stdin.on("error", this.#onGone);
    process.on("SIGTSTP", this.#onStop);
    process.on("SIGCONT", this.#enter);
    this.#enter();
  }

  /** Keys arrive: the terminal is ours, and nobody put us into the background. */
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
    // At its exit Node restores a terminal that ever was raw, and the kernel would stop us in the
    // background for that (libuv 1.46: uv_tty_reset_mode). It does not where that handle is closed.
    if (!isForeground()) process.stdin.destroy();
  }

  /** Somebody else reads the keys until it is over. */
  async lend(use: () => Promise<void>): Promise<void> {
    this.#leave();
    this.#lent = true;
    try {
      await use();
    } finally {
      this.#lent = false;
      this.#enter();
    }
  }

  /** In raw mode the kernel sends no signals for keys; everybody in the group would have had one. */
  signalGroup(signal: "SIGINT" | "SIGQUIT" | "SIGTSTP"): void {
    if (signal === "SIGTSTP") return this.#suspend(0);
    if (signal === "SIGQUIT") this.#leave();
    process.kill(0, signal);
    return undefined;
  }

  #onData = (input: string): void => {
    if (this.#raw) this.#onInput(input);
  };

  #onGone = (): void => this.#become(false);

  #onStop = (): void => this.#suspend(process.pid);

  #suspend(target: number): void {
    this.#leave();
    // Ours would catch it; without one the process stops, unless nobody is there to wake it.
    process.off("SIGTSTP", this.#onStop);
    process.kill(target, "SIGTSTP");
    setTimeout(this.#enter, STOPPED_BY_MS);
  }

  #enter = (): void => {
    if (this.#closed || this.#lent) return;
    if (!process.listeners("SIGTSTP").includes(this.#onStop)) process.on("SIGTSTP", this.#onStop);
    if (!isForeground()) return this.#stopReading();
    // Twice, because a shell may have changed the modes behind Node's back.
    this.#setRaw(false);
    this.#become(this.#setRaw(true));
    process.stdin.resume();
    return undefined;
  };

  #leave(): void {
    if (!this.#raw) return;
    this.#setRaw(false);
    this.#stopReading();
  }

  #stopReading(): void {
    this.#become(false);
    process.stdin.pause();
  }

  /** False also when the terminal is gone, and with it what there was to restore. */
  #setRaw(raw: boolean): boolean {
    try {
      process.stdin.setRawMode(raw);
      return raw;
    } catch {
      return false;
    }
  }

  #become(raw: boolean): void {
    if (this.#raw === raw) return;
    this.#raw = raw;
    this.#onChange(raw);
  }
}

// Owns a process of ours that plays one role: this same program, started with the role's name.

import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { MEASURE_TIMEOUT_MS } from "./plan.ts";

const END_GRACE_MS = 3_000;

export class Role {
  readonly #child: ChildProcess;
  readonly #name: string;

  constructor(name: string, ...args: string[]) {
    this.#name = name;
    this.#child = fork(process.argv[1] ?? "", [name, ...args], { stdio: ["ignore", 2, 2, "ipc"] });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.#name} did not start`);
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  post(message: object): void {
    this.#child.send(message);
  }

  /** Tells, and hears what it says next. */
  ask<T>(message: object): Promise<T> {
    const received = this.received<T>();
    this.post(message);
    return received;
  }

  /** The next thing it says: whatever its file says that it does. */
  received<T>(): Promise<T> {
    return new Promise((resolve, reject) => {
      const finish = (act: () => void) => {
        clearTimeout(timer);
        this.#child.off("message", onMessage).off("exit", onExit);
        act();
      };
      const onMessage = (message: T) => finish(() => resolve(message));
      const onExit = () => finish(() => reject(new Error(`${this.#name} ended`)));
      const timer = setTimeout(() => {
        finish(() => reject(new Error(`${this.#name} said nothing in time`)));
      }, MEASURE_TIMEOUT_MS);
      this.#child.on("message", onMessage).on("exit", onExit);
    });
  }

  /** Every role leaves when its parent lets go of it. */
  async end(): Promise<void> {
    if (!this.isRunning) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.#child.kill("SIGKILL"), END_GRACE_MS);
      this.#child.once("exit", () => {
        clearTimeout(timer);
        resolve();
      });
      if (this.#child.connected) this.#child.disconnect();
    });
  }
}

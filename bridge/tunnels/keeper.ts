// Keeps a tunnel open: waits for its first address, follows address changes, and restarts the program
// with backoff when it exits. Clock and process are injected.

import { Listeners } from "../listeners.ts";
import { ExitCode, UserError } from "../errors.ts";
import type { AddressReader } from "./addresses.ts";

export interface TunnelProcess {
  /** Calls the listener with every line that the program prints. */
  onLine(listener: (line: string) => void): void;
  /** Resolves with the reason when the program has exited. */
  readonly ended: Promise<string>;
  /** Ends the program's process group. Resolves when it is gone. */
  end(): Promise<void>;
}

export interface TunnelParts {
  readonly name: string;
  readonly reader: () => AddressReader;
  readonly start: () => TunnelProcess;
  /** Resolves after `milliseconds`, or when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
  readonly log: (line: string) => void;
}

/** Long enough to register a host name on the internet. */
export const ADDRESS_MS = 30_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** A tunnel that was up this long resets the backoff. */
const GOOD_MS = 60_000;
const SHOWN_LINES = 6;

/** Returns the wait before the n-th attempt in a row, counted from 0. */
export function retryMs(attempt: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10));
}

export class TunnelKeeper {
  readonly #parts: TunnelParts;
  readonly #stop = new AbortController();
  readonly #ups = new Listeners<[string]>();
  readonly #losses = new Listeners<[string, number]>();
  #current: TunnelProcess | undefined;
  #lines: string[] = [];
  #address: string | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: TunnelParts) {
    this.#parts = parts;
  }

  /** Returns the current address; undefined while the tunnel is down. */
  get address(): string | undefined {
    return this.#address;
  }

  /** Fires on every address but the first: after a restart, or when the program changed it. */
  onUp(listener: (address: string) => void): () => void {
    return this.#ups.add(listener);
  }

  /** Fires when the program exited; it restarts after `retryMs`. */
  onLost(listener: (reason: string, retryMs: number) => void): () => void {
    return this.#losses.add(listener);
  }

  /** Resolves with the first address; on failure nothing keeps running. */
  async open(): Promise<string> {
    const { address, since, process } = await this.#attempt();
    if (address !== undefined) {
      this.#running = this.#watch(process, since);
      return address;
    }
    const why = await this.#giveUp(process);
    const { name } = this.#parts;
    throw new UserError(
      `${name} could not open a tunnel: ${why}`,
      ExitCode.unavailable,
      this.#lastWords(),
    );
  }

  /** Ends the tunnel for good. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#address = undefined;
    await this.#current?.end();
    await this.#running;
  }

  async #attempt(): Promise<{ address?: string; since: number; process: TunnelProcess }> {
    const process = this.#parts.start();
    this.#current = process;
    this.#lines = [];
    this.#address = undefined;
    const read = this.#parts.reader();
    const first = new Promise<string>((resolve) => {
      process.onLine((line) => {
        this.#parts.log(line);
        this.#lines = [...this.#lines, line].slice(-SHOWN_LINES);
        const address = read(line);
        if (address === undefined || this.#current !== process || this.#isOver) return;
        const isFirst = this.#address === undefined;
        if (address === this.#address) return;
        this.#address = address;
        if (isFirst) resolve(address);
        else this.#ups.tell(address);
      });
    });
    const late = new AbortController();
    const timeout = this.#parts.wait(ADDRESS_MS, late.signal);
    const address = await Promise.race([
      first,
      process.ended.then(() => undefined),
      timeout.then(() => undefined),
    ]);
    late.abort();
    return { since: this.#parts.now(), process, ...(address === undefined ? {} : { address }) };
  }

  async #watch(first: TunnelProcess, firstSince: number): Promise<void> {
    let process = first;
    let since = firstSince;
    let attempt = 0;
    let reason: string | undefined;
    while (!this.#isOver) {
      reason ??= await process.ended;
      if (this.#isOver) return;
      this.#address = undefined;
      if (this.#parts.now() - since >= GOOD_MS) attempt = 0;
      const pause = retryMs(attempt++);
      this.#losses.tell(reason, pause);
      await this.#parts.wait(pause, this.#stop.signal);
      if (this.#isOver) return;
      const again = await this.#attempt();
      ({ process, since } = again);
      reason = undefined;
      if (again.address === undefined) reason = await this.#giveUp(process);
      else if (!this.#isOver) this.#ups.tell(again.address);
    }
    await process.end();
  }

  /** Ends a program that printed no address, and returns the reason. */
  async #giveUp(process: TunnelProcess): Promise<string> {
    const told = await Promise.race([process.ended, Promise.resolve(undefined)]);
    await process.end();
    return told ?? `it printed no https address within ${ADDRESS_MS / 1_000} s`;
  }

  #lastWords(): string | undefined {
    const lines = this.#lines.filter((line) => line.trim() !== "");
    return lines.length === 0 ? undefined : `Its last output:\n${lines.join("\n")}`;
  }

  get #isOver(): boolean {
    return this.#stop.signal.aborted;
  }
}

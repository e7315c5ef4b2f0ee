// Keeps a tunnel open: waits for its first address, follows address changes, and restarts the program
// with backoff when it exits. Clock and process are injected.

import { Emitter } from "../emitter.ts";
import { ExitCode, UserError } from "../errors.ts";
import type { AddressReader } from "./tunnel-programs.ts";
import { compact } from "../../protocol/compact.ts";

export interface TunnelProcess {
  /** Calls the listener with every line that the program prints. */
  onLine(listener: (line: string) => void): void;
  /** Resolves with the reason when the program has exited. */
  readonly ended: Promise<string>;
  /** Ends the program's process group. Resolves when it is gone. */
  end(): Promise<void>;
}

export interface TunnelKeeperDeps {
  readonly name: string;
  readonly reader: () => AddressReader;
  readonly start: () => TunnelProcess;
  /** Resolves after `milliseconds`, or when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
  readonly log: (line: string) => void;
}

/** Long enough to register a host name on the internet. */
export const ADDRESS_TIMEOUT_MS = 30_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** A tunnel that was up this long resets the backoff. */
const STABLE_MS = 60_000;
const MAX_SHOWN_LINES = 6;

/** Returns the wait before the n-th attempt in a row, counted from 0. */
export function getRetryMs(attempt: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10));
}

export class TunnelKeeper {
  readonly #deps: TunnelKeeperDeps;
  readonly #stop = new AbortController();
  readonly #upEmitter = new Emitter<[string]>();
  readonly #lostEmitter = new Emitter<[string, number]>();
  #current: TunnelProcess | undefined;
  #lines: string[] = [];
  #address: string | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(deps: TunnelKeeperDeps) {
    this.#deps = deps;
  }

  /** Returns the current address; undefined while the tunnel is down. */
  get address(): string | undefined {
    return this.#address;
  }

  /** Fires on every address but the first: after a restart, or when the program changed it. */
  onUp(listener: (address: string) => void): () => void {
    return this.#upEmitter.add(listener);
  }

  /** Fires when the program exited; it restarts after `retryMs`. */
  onLost(listener: (reason: string, retryMs: number) => void): () => void {
    return this.#lostEmitter.add(listener);
  }

  /** Resolves with the first address; on failure nothing keeps running. */
  async open(): Promise<string> {
    const { address, since, process } = await this.#attempt();
    if (address !== undefined) {
      this.#running = this.#watch(process, since);
      return address;
    }
    const why = await this.#giveUp(process);
    const { name } = this.#deps;
    throw new UserError(
      `${name} could not open a tunnel: ${why}`,
      ExitCode.unavailable,
      this.#lastOutput(),
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
    const process = this.#deps.start();
    this.#current = process;
    this.#lines = [];
    this.#address = undefined;
    const read = this.#deps.reader();
    const first = new Promise<string>((resolve) => {
      process.onLine((line) => {
        this.#deps.log(line);
        this.#lines = [...this.#lines, line].slice(-MAX_SHOWN_LINES);
        const address = read(line);
        if (address === undefined || this.#current !== process || this.#isStopped) return;
        const isFirst = this.#address === undefined;
        if (address === this.#address) return;
        this.#address = address;
        if (isFirst) resolve(address);
        else this.#upEmitter.fire(address);
      });
    });
    const late = new AbortController();
    const timeout = this.#deps.wait(ADDRESS_TIMEOUT_MS, late.signal);
    const address = await Promise.race([
      first,
      process.ended.then(() => undefined),
      timeout.then(() => undefined),
    ]);
    late.abort();
    return { since: this.#deps.now(), process, ...compact({ address }) };
  }

  async #watch(first: TunnelProcess, firstSince: number): Promise<void> {
    let process = first;
    let since = firstSince;
    let attempt = 0;
    let reason: string | undefined;
    while (!this.#isStopped) {
      reason ??= await process.ended;
      if (this.#isStopped) return;
      this.#address = undefined;
      if (this.#deps.now() - since >= STABLE_MS) attempt = 0;
      const pause = getRetryMs(attempt++);
      this.#lostEmitter.fire(reason, pause);
      await this.#deps.wait(pause, this.#stop.signal);
      if (this.#isStopped) return;
      const next = await this.#attempt();
      ({ process, since } = next);
      reason = undefined;
      if (next.address === undefined) reason = await this.#giveUp(process);
      else if (!this.#isStopped) this.#upEmitter.fire(next.address);
    }
    await process.end();
  }

  /** Ends a program that printed no address, and returns the reason. */
  async #giveUp(process: TunnelProcess): Promise<string> {
    const exitReason = await Promise.race([process.ended, Promise.resolve(undefined)]);
    await process.end();
    return exitReason ?? `it printed no https address within ${ADDRESS_TIMEOUT_MS / 1_000} s`;
  }

  #lastOutput(): string | undefined {
    const lines = this.#lines.filter((line) => line.trim() !== "");
    return lines.length === 0 ? undefined : `Its last output:\n${lines.join("\n")}`;
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }
}

// Owns the tunnel of a run: its process, the key that claims need while it is open, and that the
// embedded relay accepts the tunnel's host name before any link uses it. Pings people's sockets
// through a tunnel: proxies cut silent ones, and browsers may stop a hidden page from sending.

import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { EmbeddedRelay } from "../embedded-relay/embedded-relay.ts";
import type { Exposure } from "../embedded-relay/relay-messages.ts";
import { ExitCode, errorMessage, UserError } from "../errors.ts";
import type { RelayAddress } from "../link/relay-address.ts";
import { parseRelayAddress } from "../link/relay-address.ts";
import type { Log } from "../log.ts";
import { TunnelKeeper } from "../tunnels/tunnel-keeper.ts";
import type { StartedTunnel } from "../tunnels/tunnel-process.ts";
import { startTunnel } from "../tunnels/tunnel-process.ts";
import type { TunnelPlan } from "../tunnels/tunnel-programs.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import type { BridgeEvent } from "./run-options.ts";

const KEY_BYTES = 32;

export interface RunTunnelOptions {
  readonly plan: TunnelPlan;
  readonly folders: WorkspaceFolders;
  readonly log: Log;
  readonly onEvent: (event: BridgeEvent) => void;
  /** Aborts the wait for the first address. */
  readonly stop?: AbortSignal | undefined;
}

export class RunTunnel {
  /** Required for claims; known only to this bridge and its relay. */
  readonly key = randomBytes(KEY_BYTES).toString("hex");
  readonly name: string;
  readonly operator: string;
  readonly #options: RunTunnelOptions;
  #keeper: TunnelKeeper | undefined;
  #process: StartedTunnel | undefined;
  #relay: EmbeddedRelay | undefined;
  #address: RelayAddress | undefined;
  #isUp = false;

  constructor(options: RunTunnelOptions) {
    this.#options = options;
    this.name = options.plan.name;
    this.operator = options.plan.operator;
  }

  /** Returns what the relay must know about the tunnel now. */
  get exposure(): Exposure {
    const record = this.#process?.record;
    const host = this.#address === undefined ? "" : new URL(this.#address.origin).host;
    return { host, key: this.key, ...(record === undefined ? {} : { process: record }) };
  }

  /** Returns the address through which others reach the relay: the last one that the relay accepted. */
  get address(): RelayAddress | undefined {
    return this.#address;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Resolves when the relay accepts the tunnel's host name; does not wait until DNS resolves it. */
  async open(relay: EmbeddedRelay): Promise<void> {
    const { plan, folders, log } = this.#options;
    this.#relay = relay;
    const keeper = new TunnelKeeper({
      name: plan.name,
      reader: plan.reader,
      start: () => (this.#process = startTunnel(plan.argv(relay.port), folders)),
      wait: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => {}),
      now: () => performance.now(),
      log: (line) => log.debug(`${plan.name}: ${line}`),
    });
    this.#keeper = keeper;
    keeper.onLost((reason, retryMs) => {
      this.#isUp = false;
      log.warn(`the tunnel is down: ${plan.name}: ${reason}`);
      this.#options.onEvent({ event: "tunnel_lost", reason, retryMs });
    });
    keeper.onUp((address) => void this.#onReopened(address));
    const { stop } = this.#options;
    const stopKeeper = () => void keeper.stop();
    stop?.addEventListener("abort", stopKeeper);
    try {
      if (stop?.aborted !== true) await this.#accept(await keeper.open());
      if (stop?.aborted === true) throw new UserError("stopped", ExitCode.unavailable);
    } catch (error) {
      await keeper.stop();
      throw error;
    } finally {
      stop?.removeEventListener("abort", stopKeeper);
    }
  }

  /** Switches to the relay that replaced one that died; it was started with `exposure`. */
  setRelay(relay: EmbeddedRelay): void {
    this.#relay = relay;
  }

  async stop(): Promise<void> {
    await this.#keeper?.stop();
  }

  async #accept(address: string): Promise<void> {
    this.#address = parseRelayAddress(address, false);
    await this.#relay?.expose(this.exposure);
    this.#isUp = true;
    this.#options.log.info(`the tunnel is up: ${address} by ${this.name}`);
  }

  async #onReopened(address: string): Promise<void> {
    const previousOrigin = this.#address?.origin;
    try {
      await this.#accept(address);
    } catch (error) {
      this.#options.log.error(
        `the relay did not accept the tunnel's host name: ${errorMessage(error)}`,
      );
      return;
    }
    this.#options.onEvent({
      event: "tunnel_up",
      relay: address,
      isNew: address !== previousOrigin,
    });
  }
}

/** Below the 30 s after which tunnels cut a silent socket. */
export const PING_INTERVAL_MS = 25_000;

/** Starts the pings; returns a function that stops them. */
export function startKeepalive<Caller>(
  people: () => readonly Caller[],
  ping: (caller: Caller) => void,
): () => void {
  const timer = setInterval(() => people().forEach((caller) => ping(caller)), PING_INTERVAL_MS);
  return () => clearInterval(timer);
}

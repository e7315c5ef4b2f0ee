// Owns the tunnel of a run: its program, the key that claims need while it stands, and that the
// embedded relay takes exactly its name, before anybody is told of it.

import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Exposure } from "../embedded-relay/control.ts";
import type { EmbeddedRelay } from "../embedded-relay/start-relay.ts";
import { ExitCode, messageOf, UserError } from "../errors.ts";
import type { RelayAddress } from "../link/address.ts";
import { parseRelayAddress } from "../link/address.ts";
import type { Log } from "../log.ts";
import { TunnelKeeper } from "../tunnels/keeper.ts";
import type { StartedTunnel } from "../tunnels/process.ts";
import { startTunnel } from "../tunnels/process.ts";
import type { TunnelPlan } from "../tunnels/programs.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import type { BridgeEvent } from "./events.ts";

const KEY_BYTES = 32;

export interface TunnelWish {
  readonly plan: TunnelPlan;
  readonly folders: WorkspaceFolders;
  readonly log: Log;
  readonly onEvent: (event: BridgeEvent) => void;
  /** Ends the wait for the first address. */
  readonly stop?: AbortSignal | undefined;
}

export class RunTunnel {
  /** For claims: nobody on this machine or elsewhere has it but this bridge and its relay. */
  readonly key = randomBytes(KEY_BYTES).toString("hex");
  readonly name: string;
  readonly operator: string;
  readonly #wish: TunnelWish;
  #keeper: TunnelKeeper | undefined;
  #process: StartedTunnel | undefined;
  #relay: EmbeddedRelay | undefined;
  #address: RelayAddress | undefined;
  #isUp = false;

  constructor(wish: TunnelWish) {
    this.#wish = wish;
    this.name = wish.plan.name;
    this.operator = wish.plan.operator;
  }

  /** As the relay is to know it now. */
  get exposure(): Exposure {
    const record = this.#process?.record;
    const host = this.#address === undefined ? "" : new URL(this.#address.origin).host;
    return { host, key: this.key, ...(record === undefined ? {} : { process: record }) };
  }

  /** Where others reach the relay: the last address that the relay took. */
  get address(): RelayAddress | undefined {
    return this.#address;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Resolves when the relay takes the tunnel's name; whether it resolves here is not waited for. */
  async open(relay: EmbeddedRelay): Promise<void> {
    const { plan, folders, log } = this.#wish;
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
      this.#wish.onEvent({ event: "tunnel_lost", reason, retryMs });
    });
    keeper.onUp((address) => void this.#cameBack(address));
    const { stop } = this.#wish;
    const leave = () => void keeper.stop();
    stop?.addEventListener("abort", leave);
    try {
      if (stop?.aborted !== true) await this.#take(await keeper.open());
      if (stop?.aborted === true) throw new UserError("stopped", ExitCode.unavailable);
    } catch (error) {
      await keeper.stop();
      throw error;
    } finally {
      stop?.removeEventListener("abort", leave);
    }
  }

  /** Another relay took the place of one that died; it was started with `exposure`. */
  moved(relay: EmbeddedRelay): void {
    this.#relay = relay;
  }

  async stop(): Promise<void> {
    await this.#keeper?.stop();
  }

  async #take(address: string): Promise<void> {
    this.#address = parseRelayAddress(address, false);
    await this.#relay?.expose(this.exposure);
    this.#isUp = true;
    this.#wish.log.info(`the tunnel is up: ${address} by ${this.name}`);
  }

  async #cameBack(address: string): Promise<void> {
    const before = this.#address?.origin;
    try {
      await this.#take(address);
    } catch (error) {
      this.#wish.log.error(`the relay does not take the tunnel's name: ${messageOf(error)}`);
      return;
    }
    this.#wish.onEvent({ event: "tunnel_up", relay: address, isNew: address !== before });
  }
}

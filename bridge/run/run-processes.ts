// Owns the processes that a run has beside it: the pty host and the embedded relay. Restarts one
// that dies, ends them with the run, or leaves them to the next bridge. Finding or starting them
// first is in host-and-relay.ts; the tunnel has a file of its own, run-tunnel.ts.

import type { EmbeddedRelay } from "../embedded-relay/embedded-relay.ts";
import { endRecordedRelay, openEmbeddedRelay } from "../embedded-relay/embedded-relay.ts";
import type { HostClient } from "../terminals/host-client.ts";
import { endHost, openHost } from "../terminals/start-host.ts";
import { PartRestarter } from "./part-restarter.ts";
import type { RunOptions } from "./run-options.ts";
import type { RunTunnel } from "./run-tunnel.ts";
import { settleAll } from "./shutdown-steps.ts";

export interface RunProcessesDeps {
  readonly options: Pick<RunOptions, "folders" | "graceMs" | "log">;
  readonly tunnel: Pick<RunTunnel, "exposure" | "setRelay"> | undefined;
  /** Fires when a new pty host is up in place of one that died. */
  readonly onHostReplaced: (host: HostClient) => void;
}

export class RunProcesses {
  readonly #deps: RunProcessesDeps;
  readonly #restarter: PartRestarter;
  #host: HostClient;
  #relay: EmbeddedRelay | undefined;
  #isEnding = false;

  constructor(host: HostClient, relay: EmbeddedRelay | undefined, deps: RunProcessesDeps) {
    this.#deps = deps;
    this.#restarter = new PartRestarter(deps.options.log);
    this.#host = host;
    if (relay !== undefined) this.#watchRelay(relay);
  }

  get host(): HostClient {
    return this.#host;
  }

  /** Starts another pty host after the present one died. */
  replaceHost(): void {
    const { folders, graceMs } = this.#deps.options;
    this.#restarter.restart({
      name: "pty host",
      open: () => openHost(folders, graceMs),
      adopt: (host) => {
        this.#host = host;
        this.#deps.onHostReplaced(host);
      },
      discard: async (host) => {
        if (this.#isEnding) await endHost(host);
        host.close();
      },
    });
  }

  /** Ends both. Resolves when no restart is under way either. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await settleAll(endHost(this.#host), this.#relay?.stop(), this.#restarter.end());
  }

  /** Ends an embedded relay that did not end when asked. */
  async endRecordedRelay(): Promise<void> {
    if (this.#relay !== undefined) await endRecordedRelay(this.#deps.options.folders);
  }

  /** Stops replacing what dies, before both are left to the next bridge. */
  stopReplacing(): void {
    void this.#restarter.end();
  }

  /** Leaves both to the next bridge. */
  release(): void {
    this.#host.close();
    this.#relay?.release();
  }

  #watchRelay(relay: EmbeddedRelay): void {
    this.#relay = relay;
    // The subscription ends with the relay.
    relay.onGone(() => this.#replaceRelay(relay.port));
  }

  /** Restarts the relay on the same port, so that existing links keep working. */
  #replaceRelay(port: number): void {
    const { tunnel } = this.#deps;
    const { folders, log, graceMs } = this.#deps.options;
    log.error(`the embedded relay exited; restarting it on port ${port}`);
    this.#restarter.restart({
      name: "relay",
      open: () => {
        const exposure = tunnel?.exposure;
        return openEmbeddedRelay(folders, { port, fixed: true, graceMs, exposure }, log);
      },
      adopt: (relay) => {
        tunnel?.setRelay(relay);
        this.#watchRelay(relay);
      },
      discard: async (relay) => {
        if (this.#isEnding) await relay.stop();
        else relay.release();
      },
    });
  }
}

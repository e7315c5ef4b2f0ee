// Owns a real relay for tests: the built Worker in workerd, run as the product runs it, or the Worker as
// wrangler deploys it (deployed-worker.ts), with a probe around it that tells what the room holds. It ends
// every socket that was dialled through it.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { build } from "esbuild";
import * as z from "zod/mini";
import { findWorkerd } from "../../bridge/workerd/binary.ts";
import { findFreePort } from "../../bridge/workerd/free-port.ts";
import type { WorkerdOptions } from "../../bridge/workerd/workerd-process.ts";
import { startWorkerd } from "../../bridge/workerd/workerd-process.ts";
import { RAW_SUBPROTOCOL, PLAIN_SUBPROTOCOL } from "../../protocol/limits.ts";
import type { Answer, Asking } from "./asking.ts";
import { ask } from "./asking.ts";
import type { RunningWorker } from "./deployed-worker.ts";
import { DEPLOYED, startDeployed } from "./deployed-worker.ts";
import { PROBE_WORKER, Probe } from "./relay-probe.ts";
import { TestSocket } from "./test-socket.ts";

const BUILT = join(import.meta.dirname, "../../dist/relay");
const PAGE = "<!doctype html><title>pairpty</title>";

export interface RelayOptions {
  /** False for a relay that believes itself public. */
  readonly loopback?: boolean;
  readonly relayKey?: string;
  readonly tunnelHost?: string;
  readonly allowedOrigins?: readonly string[];
}

/** The probe with the Worker in it, once for all relays of a process. */
let probing: Promise<string> | undefined;

export class TestRelay {
  readonly port: number;
  /** Everything that workerd printed, by line. */
  readonly log: string[] = [];
  readonly #folder: string;
  readonly #options: WorkerdOptions;
  readonly #open = new Set<{ end(): void }>();
  #worker: RunningWorker | undefined;

  private constructor(port: number, probe: string, { loopback = true, ...request }: RelayOptions) {
    this.port = port;
    this.#folder = mkdtempSync(join(tmpdir(), "pairpty-relay-"));
    const inFolder = (name: string) => join(this.#folder, name);
    mkdirSync(inFolder("web/assets"), { recursive: true });
    writeFileSync(inFolder("web/index.html"), PAGE);
    writeFileSync(inFolder("web/assets/app-0123abcd.js"), "export {};");
    mkdirSync(inFolder("rooms"));
    const worker = inFolder("probe.js");
    writeFileSync(worker, probe);
    this.#options = {
      binary: findWorkerd(),
      worker,
      plan: {
        host: "127.0.0.1",
        port,
        web: inFolder("web"),
        data: inFolder("rooms"),
        loopback,
        tunnelHost: request.tunnelHost,
        allowedOrigins: request.allowedOrigins ?? [],
      },
      temporary: this.#folder,
      relayKey: request.relayKey,
      onLine: (line) => this.log.push(line),
    };
  }

  /** Another process may take the port that was found free; then with another one. */
  static async start(options: RelayOptions = {}): Promise<TestRelay> {
    for (let tries = 1; ; tries++) {
      const relay = new TestRelay(await findFreePort(), await (probing ??= bundleProbe()), options);
      try {
        relay.#worker = await startWorker(relay.#options);
        return relay;
      } catch (error) {
        await relay.stop();
        if (tries === 3 || !String(error).includes("in use")) throw error;
      }
    }
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /**
   * Starts the same code and storage in another workerd, as after a crash or `wrangler deploy`, not
   * before `downUntil` (Unix ms).
   */
  async restart(downUntil = 0): Promise<void> {
    await this.#worker?.end(0);
    await delay(Math.max(0, downUntil - Date.now()));
    this.#worker = await startWorker(this.#options);
  }

  /** Whether any file of the rooms' storage has these bytes in it. */
  isOnDisk(bytes: string): boolean {
    const rooms = join(this.#folder, "rooms");
    return readdirSync(rooms, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .some((entry) => readIfThere(join(entry.parentPath, entry.name)).includes(bytes));
  }

  async probe(workspace: string): Promise<Probe> {
    const { text } = await this.ask(`/probe/${workspace}`);
    return Probe.parse(JSON.parse(text));
  }

  /** Returns how many alarms ran in a room since the start of workerd; does not wake the room. */
  async countAlarms(workspace: string): Promise<number> {
    const { text } = await this.ask(`/probe/${workspace}/alarms`);
    return z.array(z.string()).parse(JSON.parse(text)).length;
  }

  /** Deletes the name that a room stored, as if a version before R46 had claimed it. */
  async forgetName(workspace: string): Promise<boolean> {
    const { text } = await this.ask(`/probe/${workspace}/forget-name`);
    return z.boolean().parse(JSON.parse(text));
  }

  ask(path: string, asking?: Asking): Promise<Answer> {
    return ask(this.port, path, asking);
  }

  dial(path: string, protocols: string[] = [], headers: Record<string, string> = {}): TestSocket {
    const socket = new TestSocket(`ws://${this.host}${path}`, protocols, headers);
    this.#open.add(socket);
    return socket;
  }

  peer(workspace: string, token: string): TestSocket {
    return this.dial(`/parties/workspace/${workspace}`, [PLAIN_SUBPROTOCOL, token]);
  }

  /** Offers both renditions, as our page does. */
  rawPeer(workspace: string, token: string): TestSocket {
    const offered = [PLAIN_SUBPROTOCOL, RAW_SUBPROTOCOL, token];
    return this.dial(`/parties/workspace/${workspace}`, offered);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.end();
    await this.#worker?.end(0);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function startWorker(options: WorkerdOptions): Promise<RunningWorker> {
  return DEPLOYED === undefined ? startWorkerd(options) : startDeployed(DEPLOYED, options);
}

/** Not by buildSync: it blocks this thread, and was once seen to wait for its own for ever. */
async function bundleProbe(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: PROBE_WORKER, resolveDir: BUILT },
    bundle: true,
    format: "esm",
    external: ["cloudflare:*"],
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

/** Journals of other rooms come and go while one looks. */
function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

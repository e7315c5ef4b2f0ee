// Owns what is soaked: the built relay of one's own, a cable that can be cut, and the built bridge.

import { listChildren } from "../../bridge/processes/process-record.ts";
import { CuttableProxy } from "../support/cuttable.ts";
import { OwnRelay, RELAY_KEY } from "../support/own-relay.ts";
import type { Product } from "../support/product.ts";
import { listProcesses } from "../support/processes.ts";
import { Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import type { Sample } from "./figures.ts";
import { readFigures } from "./figures.ts";

export class World {
  readonly place: Place;
  readonly product: Product;
  readonly relay: OwnRelay;
  readonly cable: CuttableProxy;
  readonly #began = performance.now();
  readonly samples: Sample[] = [];

  private constructor(place: Place, product: Product, relay: OwnRelay, cable: CuttableProxy) {
    this.place = place;
    this.product = product;
    this.relay = relay;
    this.cable = cable;
  }

  static async start(): Promise<World> {
    const place = new Place({ RELAY_KEY, PAIRPTY_RELAY_KEY: RELAY_KEY });
    const relay = await OwnRelay.start(place);
    const cable = await CuttableProxy.start(relay.port);
    const product = await place.start("--relay", `http://127.0.0.1:${cable.port}`, "--e2e", "off");
    return new World(place, product, relay, cable);
  }

  sample(phase: string): Sample {
    const { pid, workerd } = this.relay.ready;
    const sample: Sample = {
      at: performance.now() - this.#began,
      phase,
      processes: new Set(
        listProcesses(this.place.root).flatMap((one) => [one, ...listChildren(one)]),
      ).size,
      parts: {
        bridge: readFigures(this.product.pid),
        "pty host": readFigures(this.product.hostPid()),
        relay: readFigures(pid),
        workerd: readFigures(workerd),
      },
    };
    this.samples.push(sample);
    return sample;
  }

  /** People and agents come straight to the relay: the cable is the bridge's. */
  url(address: string): string {
    return address.replace(String(this.cable.port), String(this.relay.port));
  }

  async connect(role: "edit" | "view" = "edit"): Promise<PlainClient> {
    const { endpoints, tokens } = this.product.ready;
    const client = await PlainClient.connect(this.url(endpoints.peer), tokens[role]);
    // What is rendered is acked, as pages do.
    client.onMessage = ({ type, id, next }) => {
      if (type === "pty:output" && next !== undefined) {
        client.send({ type: "pty:ack", id, offset: next });
      }
    };
    return client;
  }

  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const { relay, workspace, tokens } = this.product.ready;
    return await fetch(`${this.url(relay)}/w/${workspace}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${tokens.edit}` },
    });
  }

  /** Undefined while the link is down. */
  async open(command: string[]): Promise<string | undefined> {
    const response = await this.ask("/pty/spawn", {
      method: "POST",
      body: JSON.stringify({ command }),
    });
    const body = (await response.json()) as { id?: string };
    return response.status === 201 ? body.id : undefined;
  }

  async close(id: string): Promise<void> {
    await (await this.ask(`/pty/${id}`, { method: "DELETE" })).arrayBuffer();
  }

  async reconnect(): Promise<void> {
    const from = this.product.events.length;
    this.cable.cut();
    await this.product.event("link_lost", { from });
    await this.product.event("link_up", { from });
    // The soak's own memory is not what is measured, but it should not grow either.
    const ready = this.product.events.findIndex(({ event }) => event === "ready");
    this.product.events.splice(ready + 1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.product.stop();
    await this.relay.stop();
    await this.cable[Symbol.asyncDispose]();
    await this.place[Symbol.asyncDispose]();
  }
}

// Owns reading a running bridge's own screens, for tests: the very cells that it keeps, not what it
// says of them. The bridge has no way to ask for these, and needs none: Node's inspector, with
// which a test starts it, finds the screen in the heap.

import { WebSocket } from "ws";
import type { Shown } from "./cells.ts";
import { readScreen } from "./cells.ts";
import type { Product } from "./product.ts";
import { until, within } from "./waiting.ts";

/** For the place that a bridge is started in: an inspector of its own, at whichever port is free. */
export const INSPECTABLE = { NODE_OPTIONS: "--inspect=127.0.0.1:0" } as const;

const LISTENING = /Debugger listening on (ws:\S+)/;

/** A value there: what it is, and where unless it was asked for by value. */
interface Remote {
  readonly objectId?: string;
  readonly value?: unknown;
}

interface Answer {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: {
    readonly result?: Remote;
    readonly objects?: Remote;
    readonly privateProperties?: { readonly name: string; readonly value: Remote }[];
    readonly exceptionDetails?: { readonly text: string };
  };
}

export class BridgeMemory {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;
  #kept: Remote | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => {
      const answer: Answer = JSON.parse(data.toString());
      this.#waiting.get(answer.id ?? 0)?.(answer);
    });
  }

  static async of(product: Product): Promise<BridgeMemory> {
    const address = () => LISTENING.exec(product.stderr())?.[1];
    await until("the bridge's inspector listens", () => address() !== undefined);
    const socket = new WebSocket(address() ?? "", { perMessageDeflate: false });
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return new BridgeMemory(socket);
  }

  /** As far as the bridge has fed it: whoever wants all of it asks the bridge for the screen first. */
  async getScreen(id: string): Promise<Shown> {
    this.#kept ??= await this.#findKept(id);
    const find = (self: Map<string, Kept>, wanted: string) => self.get(wanted)?.screen;
    const screen = await this.#call(this.#kept, find, id);
    const emulator = await this.#privateField(screen, "#emulator");
    const terminal = await this.#call(emulator, (self: { terminal: object }) => self.terminal);
    const { value } = await this.#call(terminal, readScreen, undefined, true);
    for (const held of [screen, emulator, terminal]) {
      await this.#ask("Runtime.releaseObject", { objectId: at(held) });
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what readScreen returned
    return value as Shown;
  }

  close(): void {
    this.#socket.terminate();
  }

  /** What `Screens` keeps of each terminal, and in it the `Screen`. Looking through a heap takes long. */
  async #findKept(id: string): Promise<Remote> {
    const maps = await this.#ask("Runtime.evaluate", { expression: "Map.prototype" });
    const all = await this.#ask("Runtime.queryObjects", { prototypeObjectId: at(maps.result) });
    // A prototype is no map.
    const find = (self: Map<string, Kept>[], wanted: string) =>
      self
        .filter((map) => !Object.hasOwn(map, "constructor"))
        .find((map) => map.get(wanted)?.screen && map.get(wanted)?.pace);
    const kept = await this.#call(all.objects, find, id);
    await this.#ask("Runtime.releaseObject", { objectId: at(all.objects) });
    return kept;
  }

  /** `run` gets what it is called on, and the argument; it can use nothing from around it. */
  async #call(
    on: Remote | undefined,
    run: Function,
    argument?: string,
    returnByValue = false,
  ): Promise<Remote> {
    const { result } = await this.#ask("Runtime.callFunctionOn", {
      objectId: at(on),
      functionDeclaration: `function (argument) { return (${String(run)})(this, argument); }`,
      arguments: [{ value: argument }],
      returnByValue,
    });
    return result ?? {};
  }

  async #privateField(of: Remote, name: string): Promise<Remote | undefined> {
    const { privateProperties = [] } = await this.#ask("Runtime.getProperties", {
      objectId: at(of),
      ownProperties: true,
    });
    return privateProperties.find((one) => one.name === name)?.value;
  }

  async #ask(method: string, params: object): Promise<NonNullable<Answer["result"]>> {
    const id = ++this.#lastId;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await within(answered, `the bridge's inspector leaves ${method}`);
    this.#waiting.delete(id);
    const fault = error?.message ?? result?.exceptionDetails?.text;
    if (fault !== undefined || result === undefined) throw new Error(`${method}: ${fault}`);
    return result;
  }
}

interface Kept {
  readonly pace?: object;
  readonly screen?: object;
}

function at(remote: Remote | undefined): string {
  if (remote?.objectId === undefined) throw new Error("the bridge keeps no such screen");
  return remote.objectId;
}

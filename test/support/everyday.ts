// Owns running the documents' everyday commands: in a folder where pairpty runs, with real ids in the
// place of theirs.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect } from "vitest";
import { readOutput, withCommands } from "./documents.ts";
import { Tty } from "./tty.ts";
import { CLI, Place, Product } from "./product.ts";
import { onlyAsks } from "./verbs.ts";

/** A bridge in front, which stays until it is stopped. */
export const STARTS = /^(?:(?:npx )?pairpty(?: -.*)?|npm start.*)$/;
/** Starts what runs there: one of the starts that the documents show. */
export const RUNS = "pairpty --json";
/** Ends what runs there. */
export const STOPS = "pairpty stop";
/** What takes over the window. */
const SITS = /^pairpty (?:shell|attach)\b/;

/** Relays that the documents name. */
export const RELAY_ELSEWHERE = /https:\/\/[\w.-]+\.(?:example\.com|workers\.dev)/g;

/** A folder where pairpty runs, and the ids of the documents stand for real ones. */
export class Everyday {
  readonly place = new Place();
  readonly #relay: string;
  #product: Product | undefined;
  /** Lines that took over the window: several pages show the same one. */
  readonly #viewers = new Set<string>();

  constructor(relay: string) {
    this.#relay = relay;
    mkdirSync(join(this.place.root, "shared"));
  }

  async run(script: string): Promise<void> {
    const isAll = /^(?:export|umask) /.test(script);
    // Settings alone do nothing: are they right?
    const all = script.includes("export PAIRPTY_") ? `${script}pairpty config check` : script;
    for (const line of isAll ? [all] : script.trim().split("\n")) {
      if (this.#viewers.has(line)) continue;
      if (SITS.test(line)) await this.#sit(line);
      else if (line === STOPS) await this.#stop();
      else await this.print(line);
    }
  }

  async print(line: string): Promise<string> {
    const product = await this.running();
    const { links, tokens } = product.ready;
    const id = await this.#terminal(product);
    const real = await this.#real(line, id, product);
    const args = findVerb(real);
    if (args !== undefined && onlyAsks(args, this.place.environment)) {
      const { code, stdout, stderr } = await this.place.ask(args);
      expect([code, stdout.includes('"error"')], `${real}\n${stderr}`).toEqual([0, false]);
      return stdout;
    }
    const variables = { ROOM: links.edit.replace(/#.*/, ""), TOKEN: tokens.edit, ID: id };
    const printed = await readOutput(this.place, real, variables);
    expect(printed, line).not.toContain('"error"');
    return printed;
  }

  async #sit(line: string): Promise<void> {
    this.#viewers.add(line);
    const product = await this.running();
    const id = await this.#terminal(product);
    const args = (await this.#real(line, id, product)).split(" ").slice(1);
    const window = Tty.pairpty(this.place, args, { environment: withCommands(this.place) });
    await window.shows("detaches");
    window.type("\u001C");
    await window.shows("keeps running");
    expect(await window.ends(), line).toBe(0);
  }

  async #stop(): Promise<void> {
    await this.#terminal(await this.running());
    const window = Tty.pairpty(this.place, ["stop"]);
    await window.shows("Stop everything?");
    window.type("y");
    expect(await window.ends()).toBe(0);
    await this.#product?.stop();
    this.#product = undefined;
  }

  async running(): Promise<Product> {
    this.#product ??= new Product(this.place, CLI, RUNS.split(" ").slice(1));
    await this.#product.becomesReady();
    return this.#product;
  }

  /** The one terminal that is open. */
  async #terminal(product: Product): Promise<string> {
    const response = await product.http("/pty");
    const terminals: { id: string }[] = await response.json();
    for (const { id } of terminals.slice(1)) await product.http(`/pty/${id}`, { method: "DELETE" });
    return terminals[0]?.id ?? (await product.open()).id;
  }

  /** With this folder's ids in the place of the documents'. */
  async #real(line: string, id: string, { ready }: Product): Promise<string> {
    const there = line
      .replace(/\baf1e\b/, id.slice("pty-".length))
      // An agent of another document may have run something here.
      .replace(/\bpairpty (?:share|connect)\b/, `$& --code=${ready.code}`)
      // Whole, it needs no process that is in this folder.
      .replace(/(?<=^pairpty play )(?=demo\.cast)/, `${this.place.folder}/`)
      .replaceAll(RELAY_ELSEWHERE, this.#relay);
    if (!there.includes("revoke")) return there;
    const { stdout } = await this.place.run(["grants", "--json"]);
    const grants: { id: string; session: boolean }[] = JSON.parse(stdout);
    const last = grants.findLast(({ session }) => !session)?.id ?? "";
    return there.replace(/(?<=revoke )\w{10}/, last);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#product?.stop();
    await this.place[Symbol.asyncDispose]();
  }
}

/** The words of a line that is a verb and nothing else, so that it needs no shell. */
function findVerb(line: string): string[] | undefined {
  // A shell takes away the quotes of words that need none.
  const [program, ...words] = line
    .trim()
    .replaceAll(/"([\w.-]+)"/g, "$1")
    .split(/ +/);
  const isPlain = words.every((word) => /^[\w./:=,@-]+$/.test(word));
  return program === "pairpty" && isPlain ? words : undefined;
}

/** What an agent's program on this machine would start, as its client. */
export async function localAgent(place: Place, command: string, args: string[]): Promise<Client> {
  const env = Object.fromEntries(
    Object.entries(withCommands(place)).map(([name, value]) => [name, value ?? ""]),
  );
  const client = new Client({ name: "claude-code", version: "1" });
  const program = join(place.root, "bin", command);
  await client.connect(
    new StdioClientTransport({ command: program, args, env, cwd: place.folder, stderr: "ignore" }),
  );
  return client;
}

// Owns a real pty host under test and a small client that speaks its frames.
// Everything started here is ended, by its pid, when the test is over.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { FrameDecoder, encodeFrame } from "../../protocol/frame.ts";
import type { Frame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { Exited, Failed, Gap, HostWelcome, TerminalState } from "../../protocol/host.ts";
import type { Spawn } from "../../protocol/host.ts";
import { parsePayload, toPayload } from "../../protocol/json.ts";
import { CHUNK_LAST, decodeChunk, decodeOutput, encodeOffset } from "../../protocol/output.ts";
import { HOST_VERSION } from "../../protocol/version.ts";

const PROGRAM = fileURLToPath(new URL("../../dist/bridge/pty-host.js", import.meta.url));

/** Far beyond what anything here takes: it only turns a hang into a failure. */
const WAIT_MS = 20_000;

/** Where there is no event to wait for. */
const POLL_MS = 10;

/** As much credit as a test can want. */
export const ALL = Number.MAX_SAFE_INTEGER;

export interface Printing {
  /** A shell line that prints the text at once; more lines may follow it. */
  readonly script: string;
  /** The shell becomes the printer: its end is the terminal's. */
  readonly last: string;
  /** Likewise, in many small writes. */
  readonly dribbled: string;
  readonly text: string;
}

/** Numbered lines of exactly so many bytes. */
export function printing(bytes: number): Printing {
  const lines = Math.floor(bytes / 50);
  const whole = Array.from({ length: lines + 1 }, (_, i) => `${String(i).padStart(49, "0")}\n`);
  const print = (each: string): string =>
    `awk 'BEGIN { for (i = 0; i < ${lines}; i++) { printf "%049d\\n", i${each} }; ` +
    `printf "%s", substr(sprintf("%049d\\n", ${lines}), 1, ${bytes % 50}) }'`;
  return {
    script: `stty -opost; ${print("")}`,
    last: `stty -opost; exec ${print("")}`,
    dribbled: `stty -opost; exec ${print("; fflush()")}`,
    text: whole.join("").slice(0, bytes),
  };
}

/** A zombie is dead: who reaps orphans, and when, is not the host's matter. */
export function alive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

export async function ended(pid: number): Promise<void> {
  for (let waited = 0; alive(pid); waited += POLL_MS) {
    if (waited > WAIT_MS) throw new Error(`process ${pid} lives on`);
    await pause(POLL_MS);
  }
}

/** Waits until a process has written so much, which needs no word from the host. */
export async function wrote(pid: number, bytes: number): Promise<void> {
  const written = (): number =>
    Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
  for (let waited = 0; written() < bytes; waited += POLL_MS) {
    if (waited > WAIT_MS) throw new Error(`process ${pid} never wrote ${bytes} bytes`);
    await pause(POLL_MS);
  }
}

export interface HostProcess {
  readonly pid: number;
  readonly socket: string;
  /** The exit code, once it is over. */
  readonly over: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
  /** Connects without a word. */
  dial(): Promise<HostClient>;
  /** Connects, says hello and waits for everything the host knows. */
  join(): Promise<HostClient>;
}

export async function startHost(graceMs = 60_000, socket?: string): Promise<HostProcess> {
  const folder = mkdtempSync(join(tmpdir(), "pairpty-host-"));
  const path = socket ?? join(folder, "host.sock");
  const args = ["--socket", path, "--grace-ms", String(graceMs), "--log", join(folder, "log")];
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const over = once(child, "exit").then(([code]) => (typeof code === "number" ? code : null));
  const clients: HostClient[] = [];
  onTestFinished(async () => {
    for (const client of clients) client.close();
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await over;
    rmSync(folder, { recursive: true, force: true });
  });
  const ready = once(createInterface(child.stdout), "line");
  const line = await Promise.race([ready, over.then((code) => [`ended with ${code}`])]);
  if (line[0] !== '{"event":"ready"}') throw new Error(`the pty host said: ${String(line[0])}`);
  const dial = async (): Promise<HostClient> => {
    const connection = connect(path);
    await once(connection, "connect");
    const client = new HostClient(connection);
    clients.push(client);
    return client;
  };
  const join_ = async (): Promise<HostClient> => {
    const client = await dial();
    client.hello();
    await client.until("caught up", () => client.has(FrameType.caughtUp));
    return client;
  };
  return {
    pid: child.pid ?? -1,
    socket: path,
    over,
    kill: (signal) => child.kill(signal),
    dial,
    join: join_,
  };
}

/** What one terminal has told this client. */
export interface Heard {
  readonly handle: number;
  readonly pieces: Uint8Array[];
  /** Sizes and offsets of the output frames, as they came. */
  readonly outputs: { readonly offset: number; readonly length: number }[];
  readonly gaps: Gap[];
  /** Where the next byte is expected; undefined until the first. */
  next: number | undefined;
  exited: Exited | undefined;
  activity: number;
}

export class HostClient {
  readonly frames: Frame[] = [];
  readonly states: { readonly handle: number; readonly state: TerminalState }[] = [];
  readonly #socket: Socket;
  readonly #decoder = new FrameDecoder();
  readonly #heard = new Map<number, Heard>();
  readonly #waiting = new Set<() => void>();
  readonly #window = new Map<number, { readonly size: number; granted: number }>();
  closed = false;
  #request = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => {
      const decoded = this.#decoder.push(chunk);
      if (!decoded.ok) throw new Error(`the host sent no frames: ${decoded.error.fault}`);
      for (const frame of decoded.frames) this.#take(frame);
      this.#wake();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.closed = true;
      this.#wake();
    });
  }

  get welcome(): HostWelcome {
    const frame = this.frames.find(({ type }) => type === FrameType.hostWelcome);
    if (frame === undefined) throw new Error("no welcome yet");
    return value(parsePayload(HostWelcome, frame.payload));
  }

  get failures(): Failed[] {
    return this.frames
      .filter(({ type }) => type === FrameType.failed)
      .map(({ payload }) => value(parsePayload(Failed, payload)));
  }

  hello(version: number = HOST_VERSION): void {
    this.send(FrameType.hostHello, 0, { version, software: "test" });
  }

  send(type: number, stream: number, value_?: object): void {
    this.bytes(type, stream, value_ === undefined ? new Uint8Array(0) : toPayload(value_));
  }

  bytes(type: number, stream: number, payload: Uint8Array): void {
    this.#socket.write(encodeFrame(type, stream, payload));
  }

  /** Not frames at all, maybe. */
  raw(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  input(handle: number, text: string): void {
    this.bytes(FrameType.input, handle, Buffer.from(text));
  }

  read(handle: number, from: number, credit: number, paced = false): void {
    this.send(FrameType.read, handle, { from, credit, paced });
  }

  /** Reads with a window: credit moves on as bytes arrive. */
  readWindow(handle: number, from: number, size: number, paced = true): void {
    this.#window.set(handle, { size, granted: from + size });
    this.read(handle, from, from + size, paced);
  }

  credit(handle: number, offset: number): void {
    this.bytes(FrameType.credit, handle, encodeOffset(offset));
  }

  /** Asks for a shell line to be run; answers with the terminal, or throws the host's sentence. */
  async spawn(
    script: string,
    more: Partial<Spawn> = {},
  ): Promise<TerminalState & { handle: number }> {
    const request = this.ask(script, more);
    return await this.until(`spawn ${request}`, () => {
      const failed = this.failures.find((one) => one.request === request);
      if (failed !== undefined) throw new Error(failed.error);
      const found = this.states.find(({ state }) => state.request === request);
      return found === undefined ? undefined : { ...found.state, handle: found.handle };
    });
  }

  /** Sends a spawn and does not wait. */
  ask(script: string, more: Partial<Spawn> = {}): number {
    this.#request += 1;
    const spawn_: Spawn = {
      request: this.#request,
      id: `pty-${process.hrtime.bigint().toString(36)}`,
      file: "/bin/sh",
      args: ["-c", script],
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", TERM: "xterm-256color" },
      cols: 80,
      rows: 24,
      meta: {},
      ...more,
    };
    this.send(FrameType.spawn, 0, spawn_);
    return this.#request;
  }

  /** What is retained of a terminal, and from which offset. */
  async fetch(handle: number, from = 0, most = ALL): Promise<{ from: number; text: string }> {
    this.#request += 1;
    const request = this.#request;
    this.send(FrameType.fetch, handle, { request, from, most });
    return await this.until(`fetch ${request}`, () => {
      const failed = this.failures.find((one) => one.request === request);
      if (failed !== undefined) throw new Error(failed.error);
      const chunks = this.frames.flatMap((frame) => {
        if (frame.type !== FrameType.chunk) return [];
        const chunk = decodeChunk(frame.payload);
        if (chunk?.request !== request) return [];
        return [{ ...chunk, last: (frame.flags & CHUNK_LAST) !== 0 }];
      });
      if (chunks.at(-1)?.last !== true) return undefined;
      const text = Buffer.concat(chunks.map(({ body }) => body)).toString("latin1");
      return { from: chunks[0]?.offset ?? 0, text };
    });
  }

  /** Where the terminal's stream ends now. */
  async end(handle: number): Promise<number> {
    return (await this.fetch(handle, ALL, 0)).from;
  }

  /** Waits until the stream is this long, read or not. */
  async endsAt(handle: number, atLeast: number): Promise<void> {
    const deadline = performance.now() + WAIT_MS;
    while ((await this.end(handle)) < atLeast) {
      if (performance.now() > deadline)
        throw new Error(`terminal ${handle} never came to ${atLeast}`);
      await pause(POLL_MS);
    }
  }

  heard(handle: number): Heard {
    const known = this.#heard.get(handle);
    if (known !== undefined) return known;
    const heard: Heard = {
      handle,
      pieces: [],
      outputs: [],
      gaps: [],
      next: undefined,
      exited: undefined,
      activity: 0,
    };
    this.#heard.set(handle, heard);
    return heard;
  }

  text(handle: number): string {
    return Buffer.concat(this.heard(handle).pieces).toString("latin1");
  }

  async saw(handle: number, text: string): Promise<void> {
    await this.until(`output ${JSON.stringify(text)}`, () => this.text(handle).includes(text));
  }

  async exit(handle: number): Promise<Exited> {
    return await this.until(`exit of ${handle}`, () => this.heard(handle).exited);
  }

  /** Exited, and every byte up to the end has come. */
  async whole(handle: number): Promise<Exited> {
    return await this.until(`all of ${handle}`, () => {
      const { exited, next } = this.heard(handle);
      return exited !== undefined && (next ?? 0) >= exited.end ? exited : undefined;
    });
  }

  has(type: number): boolean {
    return this.frames.some((frame) => frame.type === type);
  }

  /** A round trip: everything sent before has been done. */
  async settled(): Promise<void> {
    const before = this.frames.filter(({ type }) => type === FrameType.alive).length;
    this.send(FrameType.nudge, 0);
    await this.until(
      "alive",
      () => this.frames.filter(({ type }) => type === FrameType.alive).length > before,
    );
  }

  async gone(): Promise<void> {
    await this.until("the end of the connection", () => this.closed);
  }

  /** Looks again after whatever comes, until there is an answer. */
  async until<T>(what: string, look: () => T | undefined | false): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(check);
      };
      const timer = setTimeout(() => {
        done();
        reject(new Error(`waited in vain for ${what}`));
      }, WAIT_MS);
      const check = (): void => {
        try {
          const answer = look();
          if (answer === undefined || answer === false) return;
          done();
          resolve(answer);
        } catch (error) {
          done();
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** Stops or goes on reading the socket, as a bridge that hangs would. */
  hang(hung: boolean): void {
    if (hung) this.#socket.pause();
    else this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  #wake(): void {
    for (const check of this.#waiting) check();
  }

  #take(frame: Frame): void {
    const heard = this.heard(frame.stream);
    switch (frame.type) {
      case FrameType.output: {
        this.#takeOutput(heard, frame.payload);
        return;
      }
      case FrameType.gap: {
        const gap = value(parsePayload(Gap, frame.payload));
        if (heard.next !== undefined && gap.from !== heard.next)
          throw new Error("a gap in the wrong place");
        heard.gaps.push(gap);
        heard.next = gap.to;
        return;
      }
      case FrameType.exited:
        heard.exited = value(parsePayload(Exited, frame.payload));
        return;
      case FrameType.activity:
        heard.activity += 1;
        return;
      case FrameType.terminalState:
        this.states.push({
          handle: frame.stream,
          state: value(parsePayload(TerminalState, frame.payload)),
        });
        return;
      default:
        this.frames.push(frame);
    }
  }

  #takeOutput(heard: Heard, payload: Uint8Array): void {
    const output = decodeOutput(payload);
    if (output === undefined || output.span !== output.body.length) throw new Error("bad output");
    if (heard.next !== undefined && output.offset !== heard.next) {
      throw new Error(`output at ${output.offset}, expected at ${heard.next}`);
    }
    heard.next = output.offset + output.span;
    heard.pieces.push(output.body);
    heard.outputs.push({ offset: output.offset, length: output.span });
    const window = this.#window.get(heard.handle);
    if (window === undefined || window.granted - heard.next > window.size / 2) return;
    window.granted = heard.next + window.size;
    this.credit(heard.handle, window.granted);
  }
}

function value<T>(parsed: { ok: true; value: T } | { ok: false; error: string }): T {
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

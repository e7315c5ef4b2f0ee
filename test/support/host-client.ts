// Owns what a bridge says to the pty host, and awaits from it, as tests need it.

import { FrameType } from "../../protocol/frame-types.ts";
import type { Exited, Spawn, TerminalState } from "../../protocol/host.ts";
import { CHUNK_LAST, decodeChunk } from "../../protocol/output.ts";
import { HOST_VERSION } from "../../protocol/limits.ts";
import { HostConnection } from "./host-connection.ts";
import { until } from "./waiting.ts";

/** As much credit as a test can want. */
export const ALL = Number.MAX_SAFE_INTEGER;

export class HostClient extends HostConnection {
  #request = 0;

  hello(version: number = HOST_VERSION, more: object = {}): void {
    this.send(FrameType.hostHello, 0, { version, software: "test", ...more });
  }

  input(handle: number, text: string): void {
    this.bytes(FrameType.input, handle, Buffer.from(text));
  }

  read(handle: number, from: number, credit: number, paced = false): void {
    this.send(FrameType.read, handle, { from, credit, paced });
  }

  /** Reads with a window: credit moves on as bytes arrive. */
  readWindow(handle: number, from: number, size: number, paced = true): void {
    this.received(handle).openWindow(from, size);
    this.read(handle, from, from + size, paced);
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
  async endsAt(handle: number, atLeast: number, pollMs?: number): Promise<void> {
    const isThere = async () => (await this.end(handle)) >= atLeast;
    const often = pollMs === undefined ? {} : { pollMs };
    await until(`terminal ${handle} came to ${atLeast}`, isThere, often);
  }

  async saw(handle: number, text: string): Promise<void> {
    await this.until(`output ${JSON.stringify(text)}`, () => this.text(handle).includes(text));
  }

  async exit(handle: number): Promise<Exited> {
    return await this.until(`exit of ${handle}`, () => this.received(handle).exited);
  }

  /** Exited, and every byte up to the end has come. */
  async whole(handle: number): Promise<Exited> {
    return await this.until(`all of ${handle}`, () => {
      const { exited, next } = this.received(handle);
      return exited !== undefined && (next ?? 0) >= exited.end ? exited : undefined;
    });
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
}

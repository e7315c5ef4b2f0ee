// Owns what each frame from the bridge does. Returns why a malformed frame is malformed; ignores an
// unknown handle, the normal race with an exit.

import type { Frame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import {
  Fetch,
  Read,
  Resize,
  ScreenRequest,
  SetMeta,
  Signal,
  Spawn,
  decodeAnswer,
  decodeCheckpoint,
} from "../../protocol/host.ts";
import { parsePayload } from "../../protocol/json.ts";
import type { ParseResult } from "../../protocol/json.ts";
import { KiB } from "../../protocol/limits.ts";
import { decodeOffset } from "../../protocol/output.ts";
import { toText } from "../../protocol/text.ts";
import type { Connection } from "./connection.ts";
import type { TerminalPool } from "./pool.ts";
import type { Terminal } from "./terminal.ts";

/** As JSON. All of it is sent to the next bridge in one frame together with other fields. */
const MAX_META_BYTES = 64 * KiB;
const MAX_STATE_BYTES = 96 * KiB;

export interface HostActions {
  /** Answers it as soon as the client's socket has room. */
  fetch(handle: number, fetch: Fetch): void;
  setState(text: string): void;
  shutdown(): void;
  /** Handles a type of a later protocol version, which only adds types. */
  unknown(type: number): void;
}

type MalformedReason = string | undefined;

/** Executes the client's frame; returns why it is malformed. */
export function handleRequest(
  frame: Frame,
  pool: TerminalPool,
  client: Connection,
  host: HostActions,
): MalformedReason {
  switch (frame.type) {
    case FrameType.spawn:
      return withValue(parsePayload(Spawn, frame.payload), (spawn) => doSpawn(spawn, pool, client));
    case FrameType.fetch:
      return withValue(parsePayload(Fetch, frame.payload), (fetch) =>
        host.fetch(frame.stream, fetch),
      );
    case FrameType.screenAsk:
      return withValue(parsePayload(ScreenRequest, frame.payload), (request) =>
        doScreenRequest(frame.stream, request, pool, client),
      );
    case FrameType.nudge:
      client.send(FrameType.alive, 0);
      return undefined;
    case FrameType.setState:
      return setState(toText(frame.payload), client, host);
    case FrameType.shutdown:
      host.shutdown();
      return undefined;
    case FrameType.forget:
      pool.forget(frame.stream);
      return undefined;
    default:
      return handleTerminal(frame, pool.get(frame.stream), client, host);
  }
}

/** Handles frames about one terminal, checked before it is looked up. */
function handleTerminal(
  frame: Frame,
  terminal: Terminal | undefined,
  client: Connection,
  host: HostActions,
): MalformedReason {
  switch (frame.type) {
    case FrameType.input:
      terminal?.input(frame.payload);
      return undefined;
    case FrameType.resize:
      return withValue(parsePayload(Resize, frame.payload), ({ cols, rows }) =>
        terminal?.resize(cols, rows),
      );
    case FrameType.signal:
      return withValue(parsePayload(Signal, frame.payload), ({ signal }) =>
        terminal?.signal(signal),
      );
    case FrameType.read:
      return withValue(parsePayload(Read, frame.payload), (read) => terminal?.read(read));
    case FrameType.credit: {
      const offset = decodeOffset(frame.payload);
      if (offset === undefined) return "not an offset";
      terminal?.credit(offset);
      return undefined;
    }
    case FrameType.unread:
      terminal?.unread();
      return undefined;
    case FrameType.checkpoint:
      if (decodeCheckpoint(frame.payload) === undefined) return "not a checkpoint";
      // A copy: the frame is a view of everything that was read with it.
      terminal?.setCheckpoint(frame.payload.slice());
      return undefined;
    case FrameType.answer: {
      const answer = decodeAnswer(frame.payload);
      if (answer === undefined) return "not an answer";
      terminal?.answer(answer.upTo, answer.bytes);
      return undefined;
    }
    case FrameType.setMeta:
      return withValue(parsePayload(SetMeta, frame.payload), ({ meta }) => {
        if (metaFits(meta)) terminal?.setMeta(meta);
        else client.failed(0, `The meta of a terminal is over ${MAX_META_BYTES} bytes.`);
      });
    default:
      host.unknown(frame.type);
      return undefined;
  }
}

function doSpawn(spawn: Spawn, pool: TerminalPool, client: Connection): void {
  if (!metaFits(spawn.meta)) {
    client.failed(spawn.request, `The meta of a terminal is over ${MAX_META_BYTES} bytes.`);
    return;
  }
  const spawned = pool.spawn(spawn);
  if (!spawned.ok) {
    client.failed(spawn.request, spawned.error);
    return;
  }
  const { terminal } = spawned;
  client.send(FrameType.terminalState, terminal.handle, terminal.state(spawn.request));
}

function doScreenRequest(
  handle: number,
  request: ScreenRequest,
  pool: TerminalPool,
  client: Connection,
): void {
  const terminal = pool.get(handle);
  if (terminal === undefined) {
    client.failed(request.request, "The terminal no longer exists.");
    return;
  }
  if (request.checkpoint && terminal.checkpoint !== undefined) {
    client.checkpoint(handle, terminal.checkpoint);
  }
  client.send(FrameType.screenState, handle, terminal.screen(request));
}

function setState(text: string, client: Connection, host: HostActions): MalformedReason {
  if (jsonBytes(text) > MAX_STATE_BYTES) {
    client.failed(0, `The state is over ${MAX_STATE_BYTES} bytes; the last one is kept.`);
    return undefined;
  }
  host.setState(text);
  return undefined;
}

function metaFits(meta: Readonly<Record<string, unknown>>): boolean {
  return jsonBytes(meta) <= MAX_META_BYTES;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function withValue<T>(parsed: ParseResult<T>, act: (value: T) => void): MalformedReason {
  if (!parsed.ok) return parsed.error;
  act(parsed.value);
  return undefined;
}

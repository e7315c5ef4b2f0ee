// Owns the process that is a crowd: any number of viewers of one terminal. The first of them types.

import { setTimeout as delay } from "node:timers/promises";
import { ECHO_GAP_MS, SILENCE_MS } from "../plan.ts";
import { LightViewer } from "./light-viewer.ts";
import type { Viewed } from "./viewing.ts";

export type CrowdRequest =
  | {
      readonly do: "open";
      readonly of: Viewed;
      readonly viewers: number;
      /** Who asks for the terminal: each one, or the first for all, or nobody. */
      readonly attach: "each" | "first" | "none";
      /** What they come in with, in turn. */
      readonly protocols?: readonly (readonly string[])[];
    }
  /** Starts the program and waits until everybody has so many bytes. */
  | { readonly do: "bulk"; readonly bytes: number }
  /** Types, and waits until everybody has it. */
  | { readonly do: "echo"; readonly samples: number }
  /** Starts the program, and goes on reading. */
  | { readonly do: "flow" }
  /** From this viewer on, nobody reads any more. */
  | { readonly do: "stall"; readonly from: number }
  /** Waits until everybody has so many bytes since it came. */
  | { readonly do: "reach"; readonly bytes: number }
  | { readonly do: "close" };

export type CrowdAnswer =
  | {
      readonly milliseconds: number;
      /** Of all viewers, while it took. */
      readonly messages: number;
      readonly wireBytes: number;
      readonly skips: number;
      readonly samples: readonly number[];
    }
  | { readonly error: string };

const OPEN_AT_ONCE = 25;
const OPEN_TRIES = 20;
/** A refusal comes right behind the door. */
const REFUSAL_MS = 50;

let viewers: LightViewer[] = [];

export function runCrowd(): void {
  process.on("disconnect", () => process.exit(0));
  process.on("message", (request: CrowdRequest) => {
    void answer(request)
      .catch((error: unknown): CrowdAnswer => ({ error: String(error) }))
      .then((message) => process.send?.(message));
  });
}

async function answer(request: CrowdRequest): Promise<CrowdAnswer> {
  const before = counts();
  const beganAt = performance.now();
  const samples = await act(request);
  const milliseconds = performance.now() - beganAt;
  const after = counts();
  return {
    milliseconds,
    messages: after.messages - before.messages,
    wireBytes: after.wireBytes - before.wireBytes,
    skips: after.skips - before.skips,
    samples,
  };
}

async function act(request: CrowdRequest): Promise<readonly number[]> {
  if (request.do === "open") await open(request);
  if (request.do === "bulk") await bulk(request.bytes);
  if (request.do === "echo") return await echo(request.samples);
  if (request.do === "flow") await bulk(1);
  if (request.do === "reach") await until(({ begin, offset }) => offset >= begin + request.bytes);
  if (request.do === "stall") for (const one of viewers.slice(request.from)) one.stall();
  if (request.do === "close") {
    for (const viewer of viewers) viewer.close();
    viewers = [];
  }
  return [];
}

async function open(request: Extract<CrowdRequest, { do: "open" }>) {
  const { of, viewers: count, attach, protocols = [] } = request;
  viewers = [];
  const one = (index: number) =>
    opened(
      { ...of, protocols: protocols[index % protocols.length] ?? of.protocols },
      // The first of them types.
      index === 0,
    );
  while (viewers.length < count) {
    const some = Math.min(OPEN_AT_ONCE, count - viewers.length);
    viewers.push(
      ...(await Promise.all(
        Array.from({ length: some }, (_, index) => one(viewers.length + index)),
      )),
    );
  }
  if (attach === "none") return;
  // In a bare chain everybody hears the answer to the first.
  for (const viewer of attach === "each" ? viewers : viewers.slice(0, 1)) viewer.attach();
  await until(({ attached }) => attached);
}

/** A room that is full may not have noticed yet that those of before are gone. */
async function opened(of: Viewed, drives: boolean): Promise<LightViewer> {
  for (let tries = 1; ; tries++) {
    const viewer = new LightViewer(of, drives);
    await viewer.open();
    await delay(REFUSAL_MS);
    if (viewer.ended === undefined) return viewer;
    if (tries === OPEN_TRIES) throw new Error(`a viewer was not let in: ${viewer.ended}`);
  }
}

async function bulk(bytes: number): Promise<void> {
  const target = Math.max(...viewers.map(({ offset }) => offset)) + bytes;
  const there = until(({ offset }) => offset >= target);
  viewers[0]?.type("x");
  await there;
}

async function echo(samples: number): Promise<readonly number[]> {
  const milliseconds: number[] = [];
  for (let i = 0; i < samples; i++) {
    await delay(ECHO_GAP_MS.most);
    const target = Math.max(...viewers.map(({ offset }) => offset)) + 1;
    const all = until(({ offset }) => offset >= target);
    const typedAt = performance.now();
    viewers[0]?.type("x");
    await all;
    milliseconds.push(performance.now() - typedAt);
  }
  return milliseconds;
}

/** Until it holds for all of them; each is asked again only when something came for it. */
function until(holds: (viewer: LightViewer) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const missing = new Set(viewers.filter((viewer) => !viewer.stalled && !holds(viewer)));
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      for (const viewer of viewers) viewer.onChange = () => {};
      settle();
    };
    const timer = setTimeout(() => {
      const one = [...missing][0];
      const where = `${one?.offset} after ${one?.messages} messages, ${one?.ended ?? "open"}`;
      finish(() => reject(new Error(`${missing.size} of ${viewers.length} got no more: ${where}`)));
    }, 3 * SILENCE_MS);
    for (const viewer of viewers) {
      viewer.onChange = () => {
        if (!missing.has(viewer)) return;
        timer.refresh();
        if (viewer.ended !== undefined) finish(() => reject(new Error(viewer.ended)));
        if (!holds(viewer)) return;
        missing.delete(viewer);
        if (missing.size === 0) finish(resolve);
      };
    }
    if (missing.size === 0) finish(resolve);
  });
}

function counts() {
  const sum = (of: (viewer: LightViewer) => number) =>
    viewers.reduce((total, viewer) => total + of(viewer), 0);
  return {
    messages: sum(({ messages }) => messages),
    wireBytes: sum(({ wireBytes }) => wireBytes),
    skips: sum(({ skips }) => skips),
  };
}

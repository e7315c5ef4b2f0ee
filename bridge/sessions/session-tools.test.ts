// The steps of the tools with a simulated program, without a pty host, a policy or MCP.

import { setImmediate } from "node:timers/promises";
import { PERMIT } from "../../test/support/permit.ts";
import { expect, test } from "vitest";
import type { Exit } from "../../protocol/terminal.ts";
import { Emitter } from "../emitter.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { ToolBackend, ToolSettings } from "./tool-backend.ts";
import { MAX_ENDED_SESSIONS, ENDED_SESSION_MS, SessionRegistry } from "./session-registry.ts";
import type { SessionTarget, Progress } from "./session-target.ts";
import { SessionTools } from "./session-tools.ts";

class Played implements SessionTarget {
  readonly typed: string[] = [];
  readonly kept: Progress[] = [];
  readonly #news = new Emitter<[]>();
  readonly #over = withResolvers();
  #bytes = Buffer.alloc(0);
  #exit: Exit | undefined;
  stops = 0;

  get finished(): Promise<void> {
    return this.#over.promise;
  }

  print(text: string): void {
    this.#bytes = Buffer.concat([this.#bytes, Buffer.from(text)]);
    this.#news.fire();
  }

  end(exitCode: number): void {
    this.#exit = { exitCode, signal: null };
    this.#over.resolve();
    this.#news.fire();
  }

  exit(): Exit | undefined {
    return this.#exit;
  }

  read() {
    const pieces = [{ offset: 0, bytes: this.#bytes }];
    return Promise.resolve({ pieces, end: this.#bytes.length });
  }

  subscribe(listener: () => void): () => void {
    return this.#news.add(listener);
  }

  type(typed: Parameters<SessionTarget["type"]>[0]): Promise<undefined> {
    for (const one of typed) this.typed.push(one.kind === "text" ? one.text : `<${one.name}>`);
    return Promise.resolve(undefined);
  }

  claim(): void {}

  storeProgress(progress: Progress): void {
    this.kept.push(progress);
  }

  stop(): Promise<void> {
    this.stops += 1;
    if (this.#exit === undefined) this.end(143);
    return Promise.resolve();
  }
}

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const NOBODY = new AbortController().signal;
const INTERVALS = { minMs: 1, settleMs: 5, maxMs: 5_000 };

function world(settings: Partial<ToolSettings> = {}) {
  let now = 0;
  const book = new SessionRegistry({ now: () => now });
  const played: Played[] = [];
  const refused = new Set<string>();
  const backend: ToolBackend<string> = {
    getOwner: (who) => who,
    getConnection: () => undefined,
    settings: () => ({
      cropOutput: 100,
      timeoutSeconds: 60,
      intervals: INTERVALS,
      answerMs: 50_000,
      ...settings,
    }),
    run: () => Promise.resolve(refusal("not here")),
    open: (_who, { line }) => {
      if (line === "refused") return Promise.resolve(refusal("No"));
      const live = new Played();
      played.push(live);
      live.print(`${line} says hello\n`);
      return Promise.resolve({
        ok: true,
        value: { target: live, number: book.nextNumber(), startedAt: Date.now() },
      });
    },
    authorizeTyping: (_who, _session, typed) =>
      Promise.resolve(
        typed.some((one) => one.kind === "text" && refused.has(one.text))
          ? refusal("Denied")
          : { ok: true, value: PERMIT },
      ),
  };
  const tools = new SessionTools(backend, book);
  const first = () => {
    const [live] = played;
    if (live === undefined) throw new Error("nothing was started");
    return live;
  };
  const later = (milliseconds: number) => {
    now += milliseconds;
  };
  return { tools, book, first, refused, later };
}

async function unwrap<T>(outcome: Promise<{ ok: true; value: T } | { ok: false; error: string }>) {
  const known = await outcome;
  if (!known.ok) throw new Error(known.error);
  return known.value;
}

test("Y86 each answer has what is new since the last, by absolute positions", async () => {
  const { tools, first } = world();
  const started = await unwrap(tools.start("ada", { command: "app" }, NOBODY));
  const going = { complete: false, waited: "idle" };
  expect(started.fields).toEqual({
    id: "term-1",
    output: "app says hello\n",
    position: 15,
    ...going,
  });
  first().print("more\n");
  const next = await unwrap(tools.continue("ada", { sessionId: "term-1" }, NOBODY));
  expect(next.fields).toEqual({ output: "more\n", position: 20, ...going });
  const none = await unwrap(tools.continue("ada", { sessionId: "term-1" }, NOBODY));
  expect(none.fields).toEqual({ output: "", position: 20, ...going });
  expect(first().kept.map(({ position }) => position)).toEqual([15, 20]);
});

test("Y86 two calls at once give nothing twice and lose nothing", async () => {
  const { tools, first } = world();
  await unwrap(tools.start("ada", { command: "app" }, NOBODY));
  const both = [1, 2].map(() => unwrap(tools.continue("ada", { sessionId: "term-1" }, NOBODY)));
  first().print("once\n");
  const outputs = (await Promise.all(both)).map(({ fields }) => fields.output);
  expect(outputs.join("")).toBe("once\n");
});

test("Y87 until ends the wait at once, and looks only at what comes behind the input", async () => {
  const intervals = { minMs: 60_000, settleMs: 60_000, maxMs: 60_000 };
  const { tools, first } = world({ intervals });
  const starting = tools.start("ada", { command: "app", until: "/hel+o/" }, NOBODY);
  expect((await unwrap(starting)).notes).toEqual(["Matched `until`"]);
  const going = tools.continue(
    "ada",
    { sessionId: "term-1", stdin: "x\n", until: "hello" },
    NOBODY,
  );
  while (first().typed.length === 0) await setImmediate();
  first().print("hello again\n");
  expect((await unwrap(going)).fields.output).toBe("hello again\n");
  const bad = await tools.continue("ada", { sessionId: "term-1", until: "/(/" }, NOBODY);
  expect(bad).toMatchObject({ ok: false });
});

test("Y88 Y89 a session that has ended is in no list; Complete: true is told once, and it is readable for a while", async () => {
  const { tools, first, later } = world();
  await unwrap(tools.start("ada", { command: "app" }, NOBODY));
  expect(tools.list("ada").fields.sessions).toMatchObject([{ id: "term-1", running: true }]);
  first().print("bye\n");
  first().end(3);
  expect(tools.list("ada").fields.sessions, "completed ones are not listed").toEqual([]);
  const over = await unwrap(tools.continue("ada", { sessionId: "term-1" }, NOBODY));
  expect(over.fields).toEqual({
    output: "bye\n",
    position: 19,
    complete: true,
    waited: "exit",
    exitCode: 3,
    signal: null,
  });
  expect(over.notes).toEqual(["Exit code: 3"]);
  expect(tools.list("ada").fields.sessions).toEqual([]);
  const again = tools.continue("ada", { sessionId: "term-1", position: 4 }, NOBODY);
  expect((await unwrap(again)).fields.output).toBe("says hello\nbye\n");
  later(ENDED_SESSION_MS + 1);
  expect(await tools.continue("ada", { sessionId: "term-1" }, NOBODY)).toMatchObject({ ok: false });
});

test("Y21 Y90 a session is its owner's alone, and ids are not given again", async () => {
  const { tools } = world();
  await unwrap(tools.start("ada", { command: "app" }, NOBODY));
  expect(await tools.stop("bob", "term-1")).toMatchObject({ ok: false });
  expect(tools.list("bob").text).toBe("No active terminal sessions.");
  expect((await unwrap(tools.stop("ada", "term-1"))).text).toBe(
    "Terminal session term-1 terminated.",
  );
  expect(await tools.start("ada", { command: "refused" }, NOBODY)).toMatchObject({ ok: false });
  const next = await unwrap(tools.start("ada", { command: "app" }, NOBODY));
  expect(next.fields.id).toBe("term-2");
});

test("Y21 what may not be typed is refused, and nothing of it is typed", async () => {
  const { tools, first, refused } = world();
  refused.add("bad\n");
  const started = tools.start("ada", { command: "app", stdin: "bad\n" }, NOBODY);
  const { notes, fields } = await unwrap(started);
  expect(notes).toContain("stdin was not typed: Denied");
  expect(fields.notes, "Y32").toEqual(["stdin was not typed: Denied"]);
  const going = await tools.continue("ada", { sessionId: "term-1", stdin: "bad\n" }, NOBODY);
  expect(going).toEqual({ ok: false, error: "Denied" });
  await unwrap(tools.continue("ada", { sessionId: "term-1", stdin: "y\n<C-c>" }, NOBODY));
  expect(first().typed).toEqual(["y\n", "<C-c>"]);
});

test("Y80 Y86 long output is cut, and its middle is read by position, page by page", async () => {
  const { tools, first } = world();
  await unwrap(tools.start("ada", { command: "app" }, NOBODY));
  const printed = Array.from({ length: 100 }, (_, line) => `line ${line}\n`).join("");
  first().print(printed);
  const cut = await unwrap(tools.continue("ada", { sessionId: "term-1" }, NOBODY));
  expect(cut.fields.output).toMatch(/^line 0\n[^[]*\[cut: \d+ bytes; .*\]\nline \d+\n/);
  let whole = "";
  for (let position = 15; whole.length < printed.length;) {
    const args = { sessionId: "term-1", position };
    const { fields } = await unwrap(tools.continue("ada", args, NOBODY));
    expect(fields.output.length).toBeLessThanOrEqual(100);
    expect(fields.position).toBeGreaterThan(position);
    whole += fields.output;
    position = fields.position;
  }
  expect(whole).toBe(printed);
});

test("Y89 only the last sessions that are over are kept", async () => {
  const { tools, book } = world();
  for (let count = 0; count <= MAX_ENDED_SESSIONS; count++) {
    const { fields } = await unwrap(tools.start("ada", { command: "app" }, NOBODY));
    await unwrap(tools.stop("ada", fields.id));
  }
  expect(book.all().length).toBe(MAX_ENDED_SESSIONS);
});

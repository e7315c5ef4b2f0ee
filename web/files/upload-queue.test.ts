// Uploads from the page to a model of the host. Quoted paths, read back by real shells.

import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quoteWord } from "../../protocol/formats.ts";
import type { FileUploaded } from "../../protocol/http.ts";
import type { UploadFile } from "./upload-queue.ts";
import { MAX_AT_ONCE, UploadQueue } from "./upload-queue.ts";
import type { Outcome } from "./uploads.ts";

test("FI11 a quoted path is one word to a shell, whatever is in it", () => {
  const paths = fc.sample(
    fc.string({
      unit: fc.constantFrom("a", "/", "'", '"', "\\", "$", "`", " ", "!", "*", "~", "é", "\n"),
    }),
    { numRuns: 200, seed: 7 },
  );
  const words = ["/tmp/a b's $(x).png", ...paths.filter((path) => path !== "")];
  const script = `printf '%s\\0' ${words.map(quoteWord).join(" ")}`;
  for (const shell of ["sh", "bash"]) {
    expect(
      execFileSync(shell, ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1),
    ).toEqual(words);
  }
  expect(quoteWord("/tmp/pairpty-files-0a/shot-2.png")).toBe("/tmp/pairpty-files-0a/shot-2.png");
});

function world(most: Outcome<number> = { ok: true, value: 2 << 20 }) {
  const typed: string[] = [];
  const texts: string[] = [];
  const waiting = new Map<string, (outcome: Outcome<FileUploaded>) => void>();
  const progress = new Map<string, (bytes: number) => void>();
  const sending = new UploadQueue<UploadFile>({
    fetchMaxBytes: async () => most,
    upload: ({ name }, signal, onSent) =>
      new Promise((resolve) => {
        waiting.set(name, resolve);
        progress.set(name, onSent);
        signal.addEventListener("abort", () => resolve(undefined));
      }),
    paste: (text) => void typed.push(text),
    toast: (text) => void texts.push(text),
  });
  const taken = (name: string) =>
    waiting.get(name)?.({ ok: true, value: { name, path: `/in/${name}`, size: 1 } });
  return { sending, typed, texts, waiting, progress, taken };
}

const file = (name: string, size = 1): UploadFile => ({ name, size });
const settle = () => new Promise((resolve) => setTimeout(resolve));

test("FI11 paths are typed once, in the order of the files, when all are there", async () => {
  const { sending, typed, taken, progress } = world();
  const done = sending.send([file("a b"), file("b"), file("c"), file("d")]);
  await settle();
  progress.get("b")?.(7);
  expect(sending.items.peek().map(({ name, sent }) => [name, sent])).toEqual([
    ["a b", 0],
    ["b", 7],
    ["c", 0],
    ["d", 0],
  ]);
  taken("c");
  await settle();
  expect(typed).toEqual([]);
  for (const name of ["d", "b", "a b"]) taken(name);
  await done;
  expect(typed).toEqual(["'/in/a b' /in/b /in/c /in/d "]);
  expect(sending.items.peek()).toEqual([]);
});

test("FI12 what is too large, fails or is cancelled is not typed, and only failures stay to be read", async () => {
  const { sending, typed, taken, waiting } = world();
  const files = [file("large", 3 << 20), file("fails"), file("cancelled"), file("good")];
  const done = sending.send(files);
  await settle();
  expect(waiting.has("large")).toBe(false);
  waiting.get("fails")?.({ ok: false, error: "No." });
  const cancelled = sending.items.peek().find(({ name }) => name === "cancelled");
  sending.drop(cancelled?.key ?? 0);
  taken("good");
  await done;
  expect(typed).toEqual(["/in/good "]);
  expect(sending.items.peek()).toMatchObject([
    { name: "large", error: "Too large: the host accepts at most 2 MiB." },
    { name: "fails", error: "No." },
  ]);
  for (const { key } of sending.items.peek()) sending.drop(key);
  expect(sending.items.peek()).toEqual([]);
});

test("FI12 a host that is away, and too many files, are said and nothing is sent", async () => {
  const away = world({ ok: false, error: "away" });
  await away.sending.send([file("a")]);
  expect([away.texts, away.waiting.size]).toEqual([["away"], 0]);
  const many = world();
  await many.sending.send(Array.from({ length: MAX_AT_ONCE + 1 }, (_, at) => file(`${at}`)));
  expect(many.texts).toEqual([expect.stringContaining("too many")]);
  expect(many.waiting.size).toBe(0);
});

// Owns `pairpty play`: plays a recording in this window, with keys to pause, step and stop. It plays on
// an empty screen, since a recording uses absolute positions; earlier output stays in the scrollback.

import { readFileSync } from "node:fs";
import { readCast, capPauses } from "../../../protocol/asciicast.ts";
import type { Cast } from "../../../protocol/asciicast.ts";
import { ExitCode, errorMessage, findSystemCode, UserError } from "../../errors.ts";
import { printNote } from "../output/output.ts";
import { Keyboard } from "../screen/keyboard.ts";
import { emptyScreen, leaveScreen, Playback } from "./playback.ts";

export interface PlayFlags {
  readonly speed: number;
  readonly idleLimit?: number;
}

export async function play(path: string, { speed, idleLimit }: PlayFlags): Promise<void> {
  const cast = loadCast(path);
  const maxPause = idleLimit ?? cast.idleLimit;
  const { stdout, stdin } = process;
  const isWindow = stdout.isTTY && stdin.isTTY;
  await new Promise<void>((resolve) => {
    let keyboard: Keyboard | undefined;
    const end = (): void => {
      playback.stop();
      keyboard?.close();
      stdin.pause();
      if (isWindow) stdout.write(leaveScreen(stdout, cast));
      resolve();
    };
    const playback = new Playback(
      maxPause === undefined ? cast : capPauses(cast, maxPause),
      speed,
      {
        write: (data) => void stdout.write(data),
        onDone: end,
        now: () => performance.now(),
        setTimer: (action, milliseconds) => {
          const timer = setTimeout(action, milliseconds);
          return () => clearTimeout(timer);
        },
      },
    );
    const onKeys = (keys: string): void => {
      for (const key of keys) {
        if (key === " ") playback.toggle();
        else if (key === ".") playback.step();
        else if (key === "q" || key === "\u0003") return end();
      }
    };
    if (isWindow) keyboard = new Keyboard(onKeys, () => undefined);
    process.once("SIGINT", end);
    process.once("SIGTERM", end);
    // The reader of the output is gone.
    stdout.once("error", end);
    if (isWindow) stdout.write(emptyScreen(stdout));
    playback.start();
  });
  // Shown after playing: before, the recording would have covered it.
  if (isWindow && (stdout.columns < cast.cols || stdout.rows < cast.rows)) {
    const size = `${cast.cols}×${cast.rows}`;
    printNote(
      `Recorded at ${size}. Enlarge this window (${stdout.columns}×${stdout.rows}) to see it as recorded`,
    );
  }
}

function formatReadError(path: string, error: unknown): string {
  switch (findSystemCode(error)) {
    case "ENOENT":
      return `there is no file ${path}`;
    case "EISDIR":
      return `${path} is a folder`;
    case "EACCES":
      return `${path} cannot be read: no permission`;
    default:
      return `${path} cannot be read: ${errorMessage(error)}`;
  }
}

function loadCast(path: string): Cast {
  let text: string;
  try {
    text = readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    if (findSystemCode(error) === undefined) throw error;
    throw new UserError(
      formatReadError(path, error),
      ExitCode.usage,
      "`pairpty record` lists recordings.",
    );
  }
  const read = readCast(text);
  if (read.ok) return read.cast;
  throw new UserError(
    `${path}: ${read.error}`,
    ExitCode.usage,
    "pairpty plays asciicast files of version 2 and 3, such as those of `pairpty record`.",
  );
}

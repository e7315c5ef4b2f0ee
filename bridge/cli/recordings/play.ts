// Owns `pairpty play`: a recording in this window, as it was, with keys to pause, step and end. It plays
// on an empty screen, since a recording says where things stand; what was there before can be scrolled to.

import { readFileSync } from "node:fs";
import { readCast, withoutPauses } from "../../../protocol/asciicast.ts";
import type { Cast } from "../../../protocol/asciicast.ts";
import { ExitCode, messageOf, systemCode, UserError } from "../../errors.ts";
import { say } from "../output/output.ts";
import { Keyboard } from "../screen/keyboard.ts";
import { emptied, left } from "./canvas.ts";
import { Playback } from "./playback.ts";

export interface PlayFlags {
  readonly speed: number;
  readonly idleLimit?: number;
}

export async function play(path: string, { speed, idleLimit }: PlayFlags): Promise<void> {
  const cast = load(path);
  const most = idleLimit ?? cast.idleLimit;
  const { stdout, stdin } = process;
  const isWindow = stdout.isTTY && stdin.isTTY;
  await new Promise<void>((resolve) => {
    let keyboard: Keyboard | undefined;
    const end = (): void => {
      playback.stop();
      keyboard?.close();
      stdin.pause();
      if (isWindow) stdout.write(left(stdout, cast));
      resolve();
    };
    const playback = new Playback(most === undefined ? cast : withoutPauses(cast, most), speed, {
      write: (data) => void stdout.write(data),
      done: end,
      now: () => performance.now(),
      later: (action, milliseconds) => {
        const timer = setTimeout(action, milliseconds);
        return () => clearTimeout(timer);
      },
    });
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
    // Whoever reads the output has gone.
    stdout.once("error", end);
    if (isWindow) stdout.write(emptied(stdout));
    playback.start();
  });
  // Before, it would have left the screen at once.
  if (isWindow && (stdout.columns < cast.cols || stdout.rows < cast.rows)) {
    const size = `${cast.cols}×${cast.rows}`;
    say(
      `recorded at ${size}; enlarge this window (${stdout.columns}×${stdout.rows}) to see it as recorded`,
    );
  }
}

function load(path: string): Cast {
  let text: string;
  try {
    text = readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw new UserError(`${path} cannot be read: ${messageOf(error)}`, ExitCode.usage);
  }
  const read = readCast(text);
  if (read.ok) return read.cast;
  throw new UserError(
    `${path}: ${read.error}`,
    ExitCode.usage,
    "pairpty plays asciicast files of version 2 and 3, as `pairpty record` makes them.",
  );
}

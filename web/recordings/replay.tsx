// Owns how a replayed recording looks: its own terminal, and the controls below it.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Cast } from "../../protocol/asciicast.ts";
import { useSession } from "../context.ts";
import { showInvisible } from "../session/visible-text.ts";
import { openTerminal } from "../terminal/xterm.ts";
import { Player } from "./player.ts";
import { formatClock } from "../../protocol/formats.ts";

const SPEEDS = [0.5, 1, 2, 4, 8];
const STEP_SECONDS = 5;
/** A letter's width, the requested line height and the actual one, relative to the font size. */
const LETTER = { wide: 0.62, high: 1.2, row: 1.36 };
/** Controls where Space has its own meaning. */
const SPACE_CONTROLS = "button, select";
const MAX_FONT_PX = 16;
/** Height of everything around the screen: the dialog's texts, the controls, a marker. */
const CHROME_PX = 320;
const MIN_FONT_PX = 5;

export function Replay({ cast }: { cast: Cast }) {
  const { store } = useSession();
  const host = useRef<HTMLDivElement>(null);
  const [player, setPlayer] = useState<Player>();

  useEffect(() => {
    if (!host.current) return undefined;
    const term = openTerminal(host.current, () => undefined, {
      disableStdin: true,
      cursorBlink: false,
      scrollback: 0,
      fontSize: getFontSize(host.current, cast.cols, cast.rows),
      lineHeight: LETTER.high,
    });
    const show = (cols: number, rows: number): void => {
      if (host.current) term.options.fontSize = getFontSize(host.current, cols, rows);
      term.resize(cols, rows);
    };
    const created = new Player(
      cast,
      {
        reset: (cols, rows) => {
          term.reset();
          show(cols, rows);
        },
        // After the output that was written for the previous size.
        resize: (cols, rows) => term.write("", () => show(cols, rows)),
        write: (data) => new Promise((resolve) => term.write(data, resolve)),
      },
      () => performance.now(),
    );
    setPlayer(created);
    let frame = requestAnimationFrame(function draw() {
      created.tick();
      frame = requestAnimationFrame(draw);
    });
    created.toggle();
    // The button that opened it is gone with its focus; the keys work from here.
    host.current.focus();
    return () => {
      cancelAnimationFrame(frame);
      term.dispose();
    };
  }, [cast, store]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!player) return;
    const isControl = event.target instanceof HTMLElement && event.target.matches(SPACE_CONTROLS);
    const by = { ArrowLeft: -STEP_SECONDS, ArrowRight: STEP_SECONDS }[event.key];
    if (by !== undefined) void player.seek(player.position.peek() + by);
    else if (event.key === ".") player.step();
    else if (event.key === " " && !isControl) player.toggle();
    else return;
    event.preventDefault();
  };

  return (
    // On capture: the emulator gets the focus after a click and would take the keys.
    <div class="replay" onKeyDownCapture={onKeyDown}>
      <div class="replay-screen" ref={host} tabIndex={0} role="group" aria-label="The recording" />
      {player && <Controls player={player} />}
      {player && <Markers player={player} />}
    </div>
  );
}

function Controls({ player }: { player: Player }) {
  const position = player.position.value;
  const { duration } = player.cast;
  return (
    <div class="replay-controls">
      <button type="button" class="primary" onClick={() => player.toggle()}>
        {player.isPlaying.value ? "Pause" : "Play"}
      </button>
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={formatClock(position)}
        min={0}
        max={duration}
        step="any"
        // Some screen readers read this number despite aria-valuetext.
        value={Math.floor(position * 10) / 10}
        onInput={({ currentTarget }) => void player.seek(Number(currentTarget.value))}
      />
      <span class="replay-clock">
        {formatClock(position)} / {formatClock(duration)}
      </span>
      <select
        aria-label="Speed"
        value={player.speed.value}
        onChange={({ currentTarget }) => {
          player.tick();
          player.speed.value = Number(currentTarget.value);
        }}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={speed}>
            {speed}×
          </option>
        ))}
      </select>
    </div>
  );
}

function Markers({ player }: { player: Player }) {
  const { markers } = player;
  if (markers.length === 0) return null;
  return (
    <ul class="replay-markers" aria-label="Markers">
      {markers.map(({ at, data }, index) => (
        <li key={index}>
          <button type="button" class="link" onClick={() => void player.seek(at)}>
            <span>{formatClock(at)}</span> {showInvisible(data)}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Returns the largest font size in which the whole screen fits. */
function getFontSize(host: HTMLElement, cols: number, rows: number): number {
  const wide = host.clientWidth / (cols * LETTER.wide);
  const room = Math.max(globalThis.innerHeight * 0.4, globalThis.innerHeight - CHROME_PX);
  const largest = Math.min(wide, room / (rows * LETTER.row));
  return Math.max(MIN_FONT_PX, Math.min(MAX_FONT_PX, Math.floor(largest * 2) / 2));
}

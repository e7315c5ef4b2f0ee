// Owns the effect of a bell besides the mark on its tab: nothing, a flash or a sound, by the user's setting,
// at a limited rate.

import { settings } from "../settings/settings.ts";

/** Minimum interval between bells; a program may ring with every line. */
const MIN_INTERVAL_MS = 500;

const FLASH_MS = 160;
const SOUND = { hertz: 880, seconds: 0.09, loudness: 0.06 };

let rangAt = Number.NEGATIVE_INFINITY;
let audio: AudioContext | undefined;

/** Flashes or sounds the bell, by the user's setting; does nothing for "tab". */
export function ringBell(host: Pick<HTMLElement, "animate">, now = performance.now()): void {
  const { bell } = settings.peek();
  if (bell === "tab" || now - rangAt < MIN_INTERVAL_MS) return;
  rangAt = now;
  if (bell === "sound") return void beep();
  const lit = { boxShadow: "inset 0 0 0 3px var(--warn)" };
  // Two equal keyframes: no motion, only on and off.
  host.animate([lit, lit], FLASH_MS);
}

async function beep(): Promise<void> {
  try {
    audio ??= new AudioContext();
    await audio.resume();
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = SOUND.hertz;
    volume.gain.value = SOUND.loudness;
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + SOUND.seconds);
  } catch {
    // No sound device, or the browser blocks sound before the first interaction.
  }
}

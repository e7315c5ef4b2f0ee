// Owns what a bell does here besides the mark on its tab: nothing, a flash or a sound, as its person
// likes it, and not more often than one can take.

import { settings } from "../settings/settings.ts";

/** A program that rings with every line is one ring. */
const EVERY_MS = 500;

const FLASH_MS = 160;
const SOUND = { hertz: 880, seconds: 0.09, loudness: 0.06 };

let rangAt = Number.NEGATIVE_INFINITY;
let audio: AudioContext | undefined;

export function ring(host: Pick<HTMLElement, "animate">, now = performance.now()): void {
  const { bell } = settings.peek();
  if (bell === "tab" || now - rangAt < EVERY_MS) return;
  rangAt = now;
  if (bell === "sound") return void beep();
  const lit = { boxShadow: "inset 0 0 0 3px var(--warn)" };
  // Without a movement: it is there, and is gone.
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
    // No sound card, or a page that nobody has touched yet may make no sound.
  }
}

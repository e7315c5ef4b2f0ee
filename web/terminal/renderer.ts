// Owns drawing with the graphics card where there is one. Without one, or when it is lost, xterm's
// own way of drawing, by elements, goes on.

import type { WebglAddon } from "@xterm/addon-webgl";
import type { Terminal } from "@xterm/xterm";

/** Drawing by a processor that imitates a card: three times slower than elements, measured. */
const IMITATION = /swiftshader|llvmpipe|softpipe|software|basic render/i;

let Addon: typeof WebglAddon | undefined;

/** Before the first terminal: cells have another width then, and a size should not change at once. */
export async function prepareRenderer(): Promise<void> {
  if (Addon || !hasGraphicsCard()) return;
  try {
    ({ WebglAddon: Addon } = await import("@xterm/addon-webgl"));
  } catch {
    // Elements will do.
  }
}

function hasGraphicsCard(): boolean {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!context) return false;
  const named = context.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = context.getParameter(named?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER);
  // A page may have a handful of these alive; this one has done its work.
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return !IMITATION.test(String(name));
}

export class Renderer {
  readonly #term: Terminal;
  #addon: WebglAddon | undefined;

  constructor(term: Terminal) {
    this.#term = term;
  }

  /** What cells look like, and so how many fit, depends on it. */
  get kind(): "card" | "elements" {
    return this.#addon ? "card" : "elements";
  }

  /** Whenever the terminal comes into view: a browser takes cards away from those out of it. */
  accelerate(): void {
    if (!Addon || this.#addon) return;
    const addon = new Addon();
    try {
      this.#term.loadAddon(addon);
    } catch {
      Addon = undefined;
      return;
    }
    this.#addon = addon;
    addon.onContextLoss(() => {
      this.#addon = undefined;
      addon.dispose();
    });
  }
}

// Owns rendering with WebGL where there is a graphics card. Without one, or when it is lost, xterm falls
// back to its DOM renderer.

import type { WebglAddon } from "@xterm/addon-webgl";
import type { Terminal } from "@xterm/xterm";

/** Software WebGL, which measured three times slower than the DOM renderer. */
const SOFTWARE_RENDERER = /swiftshader|llvmpipe|softpipe|software|basic render/i;

let Addon: typeof WebglAddon | undefined;

/** Loads WebGL before the first terminal opens: its cells have a different width, so a later switch would resize. */
export async function prepareRenderer(): Promise<void> {
  if (Addon || !hasGraphicsCard()) return;
  try {
    ({ WebglAddon: Addon } = await import("@xterm/addon-webgl"));
  } catch {
    // The DOM renderer is used instead.
  }
}

function hasGraphicsCard(): boolean {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!context) return false;
  const named = context.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = context.getParameter(named?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER);
  // Browsers allow only a few WebGL contexts per page; free this one.
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return !SOFTWARE_RENDERER.test(String(name));
}

export class Renderer {
  readonly #term: Terminal;
  #addon: WebglAddon | undefined;

  constructor(term: Terminal) {
    this.#term = term;
  }

  /** Current renderer, which determines the width of cells and so how many fit. */
  get kind(): "card" | "elements" {
    return this.#addon ? "card" : "elements";
  }

  /** Switches to WebGL; called whenever the terminal becomes visible, since browsers drop hidden contexts. */
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

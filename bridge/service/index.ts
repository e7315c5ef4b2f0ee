// The entry of `pairpty/service`: what a program may import, and nothing else.

export { KeyedRegistry } from "./registry.ts";
export { parseCompoundCommand } from "./compound.ts";
export { TerminalService } from "./service.ts";
export { TerminalState } from "./state.ts";
export type * from "./types.ts";

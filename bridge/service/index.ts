// The entry of `pairpty/service`: exports everything that a program may import.

export { BridgeProvider } from "./bridge.ts";
export { createPlugin, plugin, TerminalServicePlugin as default } from "./plugin.ts";
export type { PluginConfig, TerminalPlugin } from "./plugin.ts";
export { KeyedRegistry } from "./registry.ts";
export { TerminalService } from "./service.ts";
export { TerminalState } from "./state.ts";
export { tools } from "./tools.ts";
export type * from "./types.ts";

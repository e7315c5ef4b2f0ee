// The entry of `pairpty/service`: exports everything that a program may import.

export { BridgeProvider } from "./bridge-provider.ts";
export { createPlugin, plugin, TerminalServicePlugin as default } from "./plugin.ts";
export type { PluginConfig, TerminalPlugin } from "./plugin.ts";
export { KeyedRegistry } from "./keyed-registry.ts";
export { TerminalService } from "./terminal-service.ts";
export { TerminalState } from "./terminal-state.ts";
export { tools } from "./service-tools.ts";
export type * from "./types.ts";

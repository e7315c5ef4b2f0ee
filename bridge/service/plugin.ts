// Owns the plugin form of the service: what an application installs, the check of its configuration,
// and the package's default export.

import { ChatService, takesTools } from "./chat-service.ts";
import { VERSION } from "../version.ts";
import { readConfig } from "./config.ts";
import { TerminalService } from "./service.ts";
import { tools } from "./tools.ts";
import type { TerminalApp, TerminalConfig, ToolKeeper } from "./types.ts";

/** The part of an application's configuration that is the plugin's. */
export interface PluginConfig {
  terminal?: TerminalConfig;
}

export interface TerminalPlugin {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Does nothing where the configuration has no `terminal`. Throws when that does not fit. */
  install(app: TerminalApp, config: PluginConfig): void;
  /** Throws when it does not fit. */
  readonly config: { parse(config: unknown): PluginConfig };
}

/**
 * Makes the plugin for an application whose agents get their tools from `Chat`: by default from
 * whichever of its services has `addTools`.
 */
export function createPlugin(
  Chat: abstract new (...args: never[]) => ToolKeeper = ChatService,
): TerminalPlugin {
  return {
    name: "pairpty/service",
    version: VERSION,
    description: "Terminal and shell command execution service",
    install(app, { terminal }) {
      if (terminal === undefined) return;
      app.addServices(new TerminalService(terminal));
      // Some applications call back without a service where they have none of that type.
      app.waitForService?.(Chat, (chat) => takesTools(chat) && chat.addTools(tools));
    },
    config: { parse: parseConfig },
  };
}

export const plugin: TerminalPlugin = createPlugin();

/** The package's default export: a program constructs it, and an application installs it as `plugin`. */
export class TerminalServicePlugin extends TerminalService {
  static override readonly name: string = plugin.name;
  static readonly version = plugin.version;
  static readonly description = plugin.description;
  static readonly config = plugin.config;

  static install(app: TerminalApp, config: PluginConfig): void {
    plugin.install(app, config);
  }
}

function parseConfig(config: unknown): PluginConfig {
  if (fits(config)) return config;
  throw new Error("config: not an object");
}

/** Throws for what is wrong in it. */
function fits(config: unknown): config is PluginConfig {
  if (typeof config !== "object" || config === null) return false;
  if ("terminal" in config && config.terminal !== undefined) readConfig(config.terminal);
  return true;
}

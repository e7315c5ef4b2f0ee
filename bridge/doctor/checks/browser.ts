// Checks whether a browser can be opened from here.

import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";

export function checkBrowser(environment: NodeJS.ProcessEnv, platform = process.platform): Finding {
  if (platform === "darwin") return ok("opened by `open`");
  if (environment["WSL_DISTRO_NAME"] !== undefined) return ok("opened on Windows, from WSL");
  const display = environment["WAYLAND_DISPLAY"] || environment["DISPLAY"];
  if (display !== undefined && display !== "") return ok(`opens on the display ${display}`);
  const far = environment["SSH_CONNECTION"] !== undefined;
  return warn(
    far ? "no display here: this is an SSH session" : "no display here",
    far
      ? "Open the link on your own machine, with `ssh -L PORT:127.0.0.1:PORT` for a relay on this machine."
      : "Open the links by hand; --open does nothing here.",
  );
}

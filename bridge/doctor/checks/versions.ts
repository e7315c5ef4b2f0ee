// Reports the versions of pairpty and of the packages it needs at run time.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { parseText } from "../../../protocol/json.ts";
import { VERSION } from "../../build-info.ts";
import type { Finding } from "../finding.ts";
import { fail, ok } from "../finding.ts";

/** Installed beside pairpty; everything else is bundled. */
const PACKAGES = ["node-pty", "workerd"] as const;
/** Only the embedded relay needs workerd. */
const OPTIONAL = new Set<string>(["workerd"]);

const Package = z.object({ name: z.string(), version: z.string() });

export function checkVersions(): Finding {
  const found = PACKAGES.map((name) => ({ name, version: findVersion(name) }));
  const missing = found.filter(({ name, version }) => version === undefined && !OPTIONAL.has(name));
  if (missing.length > 0) {
    return fail(
      `${missing.map(({ name }) => name).join(", ")} cannot be found`,
      "Reinstall pairpty: the installation is incomplete.",
    );
  }
  const versions = found.map(({ name, version }) => `${name} ${version ?? "not installed"}`);
  return ok([`pairpty ${VERSION}`, ...versions].join(", "));
}

function findVersion(name: string): string | undefined {
  try {
    let folder = dirname(createRequire(import.meta.url).resolve(name));
    for (; folder !== dirname(folder); folder = dirname(folder)) {
      const file = join(folder, "package.json");
      const read = existsSync(file) ? parseText(Package, readFileSync(file, "utf8")) : undefined;
      if (read?.ok === true && read.value.name === name) return read.value.version;
    }
  } catch {
    // Missing: the caller reports it.
  }
  return undefined;
}

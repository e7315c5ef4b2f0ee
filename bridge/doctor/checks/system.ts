// Checks the operating system's C library, which the embedded relay's workerd is particular about.

import { release } from "node:os";
import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";

const LEAST = [2, 35] as const;
const CURE = "You can use a relay elsewhere: --relay URL. Or use a newer system.";

export function checkSystem(): Finding {
  const system = `${process.platform} ${release()} ${process.arch}`;
  if (process.platform !== "linux") return ok(system);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's report has no type of its own
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return judgeGlibc(system, header?.glibcVersionRuntime);
}

/** Pure. Undefined: another C library, as on Alpine. */
export function judgeGlibc(system: string, version: string | undefined): Finding {
  const least = LEAST.join(".");
  if (version === undefined) {
    return warn(`${system}, without glibc: no relay can run here; it needs ${least}`, CURE);
  }
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  if (enough) return ok(`${system}, glibc ${version}`);
  return warn(`${system}, glibc ${version}: no relay can run here; it needs ${least}`, CURE);
}

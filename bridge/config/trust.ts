// Owns the record of trusted project files: by path and hash of the bytes, so that a changed file
// is not trusted. Kept with the workspace's state, 0600.

import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { PROCESS_TAG_ENV } from "../sweep.ts";
import {
  readOptionalFile,
  removePrivateFile,
  writePrivateFile,
} from "../workspace/private-file.ts";

/** Trusted versions kept, for switching branches; older ones need trust again. */
const MAX_TRUSTED_VERSIONS = 20;

const TrustFile = z.object({
  version: z.literal(1),
  trusted: z.array(z.object({ path: z.string(), sha256: z.string(), at: z.number() })),
});
type TrustFile = z.infer<typeof TrustFile>;

export function trustPath(stateFolder: string): string {
  return join(stateFolder, "trusted-config.json");
}

export function hashBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function isTrusted(stateFolder: string, path: string, sha256: string): boolean {
  return readTrusted(stateFolder).some((one) => one.path === path && one.sha256 === sha256);
}

/** Records trust in a file. The state folder must exist. */
export function trustFile(stateFolder: string, path: string, sha256: string, at: number): void {
  const others = readTrusted(stateFolder).filter(
    (one) => one.path !== path || one.sha256 !== sha256,
  );
  const trusted = [...others, { path, sha256, at }].slice(-MAX_TRUSTED_VERSIONS);
  const file: TrustFile = { version: 1, trusted };
  writePrivateFile(trustPath(stateFolder), `${JSON.stringify(file, null, 2)}\n`);
}

export function forgetTrust(stateFolder: string): void {
  removePrivateFile(trustPath(stateFolder));
}

/** Whether trust may be asked for here: in a shared terminal, others could answer. */
export function canAskForTrust(environment: NodeJS.ProcessEnv): boolean {
  return environment[PROCESS_TAG_ENV] === undefined;
}

/** Returns the trusted files; none if the record cannot be read. */
function readTrusted(stateFolder: string): TrustFile["trusted"] {
  const text = readOptionalFile(trustPath(stateFolder));
  const parsed = text === undefined ? undefined : parseText(TrustFile, text);
  return parsed?.ok === true ? parsed.value.trusted : [];
}

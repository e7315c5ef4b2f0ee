// Owns the host's static key, which every sealed link of the workspace names. It is in the state
// folder, for its user alone, and is made once: without it no sealed link works.

import { join } from "node:path";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { ExitCode, UserError } from "../errors.ts";
import { readOptionalFile, updatePrivateFile } from "../workspace/private-file.ts";
import type { HostKeyPair } from "./node-crypto.ts";
import { generateKeyPair, importKeyPair } from "./node-crypto.ts";

const HostKeyFile = z.object({
  version: z.literal(1),
  /** X25519, PKCS #8 in base64. */
  hostKey: z.string(),
});

export interface HostKey extends HostKeyPair {
  /** Whether the key was created by this start. Links that name an earlier key have ended. */
  readonly isNew: boolean;
}

/** Returns what to report about sealed links that were made with a key that is gone, if any. */
export function lostKeyMessage(key: HostKey, sealedLinks: number): string | undefined {
  if (!key.isNew || sealedLinks === 0) return undefined;
  const which = sealedLinks === 1 ? "one link has" : `${sealedLinks} links have`;
  return `The key of this workspace's end-to-end encryption is gone, so ${which} ended. Make new ones with \`pairpty share\`.`;
}

/** Returns the path of the host's key. */
export function hostKeyFile(stateFolder: string): string {
  return join(stateFolder, "host-key.json");
}

/** Reads the workspace's key or makes one; `fresh` always makes a new one. */
export function openHostKey(stateFolder: string, { fresh }: { readonly fresh: boolean }): HostKey {
  const path = hostKeyFile(stateFolder);
  const text = fresh ? undefined : readOptionalFile(path);
  if (text === undefined) return createHostKey(path);
  const pair = parseHostKey(text);
  if (pair === undefined) {
    throw new UserError(
      `${path} cannot be read`,
      ExitCode.usage,
      "Restore it from a backup, or delete it: pairpty then makes a new key, and every end-to-end encrypted link ends.",
    );
  }
  // Makes the file private again if its permissions have changed.
  updatePrivateFile(path, text);
  return { ...pair, isNew: false };
}

function createHostKey(path: string): HostKey {
  const pair = generateKeyPair();
  const pkcs8 = pair.privateKey.export({ type: "pkcs8", format: "der" });
  const file: z.infer<typeof HostKeyFile> = { version: 1, hostKey: pkcs8.toString("base64") };
  updatePrivateFile(path, `${JSON.stringify(file, null, 2)}\n`);
  return { ...pair, isNew: true };
}

/** Undefined if the text holds no X25519 key. */
function parseHostKey(text: string): HostKeyPair | undefined {
  const file = parseText(HostKeyFile, text);
  if (!file.ok) return undefined;
  try {
    return importKeyPair(Buffer.from(file.value.hostKey, "base64"));
  } catch {
    return undefined;
  }
}

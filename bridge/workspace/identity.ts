// Owns a workspace's persistent identity: its id, owner key and port.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from "node:crypto";
import { join } from "node:path";
import { WORKSPACE_PATTERN } from "../../protocol/workspace.ts";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { ExitCode, UserError } from "../errors.ts";
import { readOptionalFile, updatePrivateFile } from "./private-file.ts";

const IdentityFile = z.object({
  version: z.literal(1),
  workspace: z.string().check(z.regex(WORKSPACE_PATTERN)),
  /** Ed25519, PKCS #8 in base64. */
  ownerKey: z.string(),
  /** Changes with every `--new`; absent in files of older versions. */
  generation: z.optional(z.string()),
  port: z.nullable(z.int().check(z.gte(1), z.lte(65_535))),
});
type IdentityFile = z.infer<typeof IdentityFile>;

const ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

export class Identity {
  /** The identity that `fresh` replaced, if it was readable. */
  readonly previous: Identity | undefined;
  readonly #path: string;
  #file: IdentityFile;
  /** A requested name that no relay has accepted yet. */
  #requestedName: string | undefined;

  private constructor(path: string, file: IdentityFile, requestedName?: string, former?: Identity) {
    this.#path = path;
    this.#file = file;
    this.#requestedName = requestedName;
    this.previous = former;
  }

  /** Reads the folder's identity or creates one; `fresh` always creates a new one. */
  static open(stateFolder: string, options: { fresh: boolean; workspace?: string }): Identity {
    const path = join(stateFolder, "workspace.json");
    const text = readOptionalFile(path);
    const stored = text === undefined ? undefined : parseText(IdentityFile, text);
    if (options.fresh) {
      const old = stored?.ok === true ? stored.value : undefined;
      // The same name is the same room on a relay, which only accepts its original key.
      if (old !== undefined && old.workspace === options.workspace) {
        const { ownerKey } = old;
        return Identity.#create(path, { ...createIdentity(), ownerKey }, options.workspace);
      }
      const former = old === undefined ? undefined : new Identity(path, old);
      return Identity.#create(path, createIdentity(), options.workspace, former);
    }
    if (stored !== undefined && !stored.ok) {
      throw new UserError(
        `${path} cannot be read: ${stored.error}`,
        ExitCode.usage,
        "Start with --new to create a new workspace for this folder; old links stop working.",
      );
    }
    return Identity.#create(path, stored?.value ?? createIdentity(), options.workspace);
  }

  static #create(
    path: string,
    file: IdentityFile,
    requestedName?: string,
    former?: Identity,
  ): Identity {
    const identity = new Identity(path, file, requestedName, former);
    identity.#save();
    return identity;
  }

  get workspace(): string {
    return this.#requestedName ?? this.#file.workspace;
  }

  /** Makes the requested name permanent, once a relay has accepted it. */
  keepName(): void {
    if (this.#requestedName === undefined) return;
    this.#file.workspace = this.#requestedName;
    this.#requestedName = undefined;
    this.#save();
  }

  get port(): number | null {
    return this.#file.port;
  }

  set port(port: number | null) {
    if (this.#file.port === port) return;
    this.#file.port = port;
    this.#save();
  }

  /** Returns the raw public key in hex. */
  get publicKey(): string {
    const spki = createPublicKey(this.#privateKey()).export({ type: "spki", format: "der" });
    // The last 32 bytes of an Ed25519 SPKI are the key itself (RFC 8410).
    return spki.subarray(-32).toString("hex");
  }

  /** Identifies the run of links: links of another generation have ended. */
  get generation(): string {
    return this.#file.generation ?? this.publicKey;
  }

  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#privateKey()).toString("hex");
  }

  #privateKey() {
    const key = Buffer.from(this.#file.ownerKey, "base64");
    return createPrivateKey({ key, type: "pkcs8", format: "der" });
  }

  #save(): void {
    updatePrivateFile(this.#path, `${JSON.stringify(this.#file, null, 2)}\n`);
  }
}

function createIdentity(): IdentityFile {
  const { privateKey } = generateKeyPairSync("ed25519");
  return {
    version: 1,
    workspace: Array.from(randomBytes(20), (byte) => ID_ALPHABET[byte % 32]).join(""),
    ownerKey: privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
    generation: randomBytes(16).toString("hex"),
    port: null,
  };
}

// Owns a workspace's persistent identity: its id, owner key and port. Also owns the display name of
// a workspace: the last part of its folder's path.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join, basename, dirname } from "node:path";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { cleanTitle } from "../../protocol/names.ts";
import { WORKSPACE_PATTERN } from "../../protocol/workspace.ts";
import { ExitCode, UserError } from "../errors.ts";
import type { WorkspaceFolders } from "./folders.ts";
import { readOptionalFile, updatePrivateFile, writePrivateFile } from "./private-file.ts";

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

// Workspaces of the same name on this machine get a suffix; for that, each state folder records its
// workspace folder.

const FOLDER_FILE = "folder";

/** Enough characters of an id for a person to compare. */
const ID_CHARS = 4;

export interface FolderName {
  /** Shown to people who can type: a shell shows them the full path anyway. */
  readonly edit: string;
  readonly view: string;
}

/** Records this folder and returns its name. Later workspaces of the same name get the suffix. */
export function getFolderName(
  folders: Pick<WorkspaceFolders, "folder" | "state">,
  workspace: string,
): FolderName {
  const { folder, state } = folders;
  const path = join(state, FOLDER_FILE);
  if (readOptionalFile(path) !== folder) writePrivateFile(path, folder);
  return disambiguateName(folder, workspace, listOtherFolders(state));
}

/** Returns the name of `folder` among `others`, the other workspace folders of this machine. */
export function disambiguateName(
  folder: string,
  workspace: string,
  others: readonly string[],
): FolderName {
  const name = cleanTitle(basename(folder)) || "/";
  const namesakes = others.filter(
    (other) => other !== folder && basename(other) === basename(folder),
  );
  if (namesakes.length === 0) return { edit: name, view: name };
  return {
    edit: `${name} (${cleanTitle(findDistinctParent(folder, namesakes))})`,
    view: `${name} (${workspace.slice(0, ID_CHARS)})`,
  };
}

/** Returns the name of the nearest parent folder that no namesake has at the same height. */
function findDistinctParent(folder: string, namesakes: readonly string[]): string {
  let own = dirname(folder);
  let theirs = namesakes.map((other) => dirname(other));
  while (basename(own) !== "" && theirs.some((other) => basename(other) === basename(own))) {
    own = dirname(own);
    theirs = theirs.map((other) => dirname(other));
  }
  return basename(own) || "/";
}

/** Returns the other workspaces' folders that still exist. */
function listOtherFolders(state: string): string[] {
  const root = dirname(state);
  return readdirSync(root)
    .filter((name) => name !== basename(state))
    .map((name) => readOptionalFile(join(root, name, FOLDER_FILE)))
    .filter((path) => path !== undefined)
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}

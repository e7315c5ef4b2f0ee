// Gathers the input of the checks: this folder, its settings, and the bridge that may run in it.

import { join } from "node:path";
import type { Configuration } from "../config/load-configuration.ts";
import { loadConfiguration } from "../config/load-configuration.ts";
import type { Status } from "../doors/control/control-requests.ts";
import { requestBridge } from "../doors/control/control-client.ts";
import { errorMessage } from "../errors.ts";
import type { RelayAddress } from "../link/relay-address.ts";
import { parseRelayAddress } from "../link/relay-address.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import { ensureWorkspaceFolders } from "../workspace/folders.ts";

const STATUS_MS = 3_000;

export interface DoctorFlags {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly config?: string;
  readonly relay?: string;
  readonly ca?: string;
  readonly insecure?: boolean;
}

export interface DoctorFacts {
  /** The folders, or an error message. */
  readonly folders: WorkspaceFolders | string;
  readonly configuration: Configuration;
  /** Undefined for the embedded relay; a string is the error of the configured address. */
  readonly relay: RelayAddress | string | undefined;
  /** Undefined if no bridge runs here. */
  readonly bridge: Promise<Status | undefined>;
  readonly environment: NodeJS.ProcessEnv;
}

export function gatherFacts(flags: DoctorFlags, cwd: string): DoctorFacts {
  const environment = process.env;
  const configuration = loadConfiguration({ flags: { ...flags }, environment, cwd });
  const folders = orErrorMessage(() => ensureWorkspaceFolders(cwd));
  const { relay, insecure } = configuration.merged.values;
  const bridge =
    typeof folders === "string"
      ? Promise.resolve(undefined)
      : requestBridge(join(folders.runtime, "bridge.sock"), { verb: "status" }, STATUS_MS).catch(
          () => undefined,
        );
  return {
    folders,
    configuration,
    relay:
      relay === undefined
        ? undefined
        : orErrorMessage(() => parseRelayAddress(relay, insecure ?? false)),
    bridge,
    environment,
  };
}

function orErrorMessage<T>(make: () => T): T | string {
  try {
    return make();
  } catch (error) {
    return errorMessage(error);
  }
}

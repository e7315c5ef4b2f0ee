// Owns the limit of file descriptors for a relay. workerd uses one per connection and room file, and
// exits when it has none left for a connection. Node raises its soft limit to the hard one at start and
// workerd inherits that, so only the hard limit matters.

/** With fewer, silent connections alone can exhaust them within the 15 s that workerd allows those. */
const MIN_OPEN_FILES = 8_192;

export const OPEN_FILES_CURE =
  "Raise the hard limit: LimitNOFILE in a systemd unit, ulimit -n as root, --ulimit nofile for a container.";

/** Returns the limit of this process and its children; undefined if the system has none. */
export function readOpenFilesLimit(): number | undefined {
  // Otherwise the report resolves the address of every open connection. Node's types lack the setting.
  Object.assign(process.report, { excludeNetwork: true });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's report has no type of its own
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft?: number | string } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : undefined;
}

/** Returns a message if the limit is too low. */
export function findOpenFilesProblem(limit: number | undefined): string | undefined {
  if (limit === undefined || limit >= MIN_OPEN_FILES) return undefined;
  return `a relay here can open only ${limit} files and connections, and restarts when it needs more; ${MIN_OPEN_FILES} or more are recommended`;
}

/** Whether this line of workerd reports that it exits because descriptors ran out. */
export function isOutOfFiles(line: string): boolean {
  return line.includes("kj::Exception") && line.includes("Too many open files");
}

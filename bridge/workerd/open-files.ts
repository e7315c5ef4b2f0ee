// Owns how many file descriptors a relay can have. workerd takes one for each connection and each
// file of a room, and ends when it accepts a connection and has none left. Node raises its own soft
// limit to the hard one when it starts, and workerd inherits that: only the hard limit matters.

/** Fewer are used up by connections that send nothing, within the 15 s that workerd leaves them. */
const MIN_OPEN_FILES = 8_192;

export const OPEN_FILES_CURE =
  "Raise the hard limit: LimitNOFILE in a systemd unit, ulimit -n as root, --ulimit nofile for a container.";

/** Returns the limit of this process and of what it starts; undefined if the system has none. */
export function readOpenFilesLimit(): number | undefined {
  // Else the report resolves the address of every open connection. Node's types lack the setting.
  Object.assign(process.report, { excludeNetwork: true });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's report has no type of its own
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft?: number | string } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : undefined;
}

/** Returns what is wrong with a limit, if anything. */
export function findOpenFilesProblem(limit: number | undefined): string | undefined {
  if (limit === undefined || limit >= MIN_OPEN_FILES) return undefined;
  return `a relay here can have ${limit} files and connections open, and restarts when it needs more; ${MIN_OPEN_FILES} or more are advised`;
}

/** Whether this line of workerd's says that it ends for want of a descriptor. */
export function isOutOfFiles(line: string): boolean {
  return line.includes("kj::Exception") && line.includes("Too many open files");
}

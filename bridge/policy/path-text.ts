// Owns path text: normal form, devices, and whether a path could be inside a folder. Reads no disk, so
// a symbolic link can fool it: the caller resolves `cwd`, and only a sandbox isolates.

import { couldMatch, isMarked } from "./word-marks.ts";

const SINKS: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);
const SINK_DESCRIPTOR = /^\/dev\/fd\/\d+$/;
/** Standard input, or another descriptor that a here-document may feed. */
const STDIN = /^(?:-|\/dev\/stdin|(?:\/dev|\/proc\/(?:self|thread-self))\/fd\/\d+)$/;
/** Paths of the kernel for `/` and for the working folder of a process. */
const RUNTIME_ROOT = /^proc\/[^/]+\/(?:task\/[^/]+\/)?(root|cwd)$/;
const RUNTIME_PARTS = ["cwd", "root", "fd", "task", "exe", "map_files"];
const BLOCK_DEVICE =
  /^\/dev\/(?:r?disk\d|sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|loop\d|md\d|dm-|mapper\/|mem$|kmem$|port$)/;
/** Files that other programs run or trust later, with what is true of them. */
const TRUSTED_PATHS: readonly (readonly [RegExp, string])[] = [
  [
    /^\/(?:etc|boot|bin|sbin|usr|lib|lib64|sys|proc|System|Library)\//,
    "which belongs to the system",
  ],
  [
    /\/\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|vimrc)$|\/\.(?:git\/hooks|config\/fish)\//,
    "which runs automatically later",
  ],
  [
    /\/\.(?:inputrc|gitconfig|npmrc|netrc)$|\/\.(?:ssh|gnupg|config\/git)\/|\/\.git\/config$/,
    "which other programs trust",
  ],
];

/** Returns the path absolute and normalised; undefined for a relative path without a base. */
export function toAbsolute(path: string, base: string | undefined): string | undefined {
  if (!path.startsWith("/") && base === undefined) return undefined;
  const whole = path.startsWith("/") ? path : `${base}/${path}`;
  const parts: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length === 2 && parts.join("/") === "dev/fd") parts.splice(0, 2, "proc", "self");
    else parts.pop();
    if (parts[0] !== "proc" || parts.length > 5) continue;
    const link = RUNTIME_ROOT.exec(parts.join("/"))?.[1];
    if (link === undefined) continue;
    const folder = link === "cwd" && base?.startsWith("/") ? base : "/";
    parts.splice(0, parts.length, ...folder.split("/").filter(Boolean));
  }
  return `/${parts.join("/")}`;
}

/** Whether only the kernel knows where a path leads: `/proc/…/cwd`, `/dev/fd/3/…` and similar. */
export function isRuntimePath(word: string): boolean {
  if (!word.includes("/")) return false;
  return word.split(/[=:,@]/).some((piece) => {
    const path = piece.replace(/^-[A-Za-z]+(?=[./])/, "");
    return (path.startsWith("/") || path.startsWith("..")) && passesRuntimePath(path.split("/"));
  });
}

/**
 * Whether the parts lead through such a path. Linear: the text after a later `/proc` also follows
 * the first.
 */
function passesRuntimePath(whole: readonly string[]): boolean {
  const parts = whole.filter((part) => part !== "" && part !== ".");
  let depth = 0;
  let isSearched = false;
  for (const [index, part] of parts.entries()) {
    if (depth === 0 && !isSearched && couldMatch(part, "proc")) {
      if (parts.slice(index + 1).some(isRuntimePart)) return true;
      isSearched = true;
    }
    if (depth === 0 && couldMatch(part, "dev") && couldMatch(parts[index + 1] ?? "", "fd")) {
      if (parts[index + 3] !== undefined || parts[index + 2] === "..") return true;
    }
    depth = part === ".." ? Math.max(0, depth - 1) : depth + 1;
  }
  return false;
}

function isRuntimePart(part: string): boolean {
  return RUNTIME_PARTS.some((name) => couldMatch(part, name));
}

/** Whether a path is in `/dev`, except the four files that only pass bytes on. */
export function isDevice(path: string): boolean {
  const place = toAbsolute(path, "/-");
  if (place === undefined || SINKS.has(place) || SINK_DESCRIPTOR.test(place)) return false;
  const [, first = "", second] = place.split("/");
  return second !== undefined && couldMatch(first, "dev");
}

export function isBlockDevice(path: string): boolean {
  if (!path.includes("dev")) return false;
  return BLOCK_DEVICE.test(toAbsolute(path, "/-") ?? "");
}

/** Devices that anyone may read: zeros, random numbers, the own terminal, shared memory. */
const HARMLESS_DEVICE = /^\/dev\/(?:zero|full|u?random|stdin|tty|shm\/.+)$/;

/** Whether opening a device may already have an effect: a watchdog, a keyboard, another user's terminal. */
export function isDeviceWithEffect(path: string): boolean {
  return (
    path.startsWith("/") && isDevice(path) && !HARMLESS_DEVICE.test(toAbsolute(path, "/") ?? "")
  );
}

export function isSink(path: string): boolean {
  return SINKS.has(path) || SINK_DESCRIPTOR.test(path);
}

export function isStdin(path: string): boolean {
  return STDIN.test(path);
}

/** Whether a path is a descriptor other than standard input, whose contents are unknown here. */
export function isDescriptor(path: string): boolean {
  return isStdin(path) && /\/0*[1-9]\d*$/.test(path);
}

/** Returns what makes writing a path dangerous; undefined if no other program runs or trusts it. */
export function findTrust(path: string): string | undefined {
  const place = path.startsWith("/") ? (toAbsolute(path, "/") ?? path) : `/${path}`;
  // Folders of such files count, too: `cp x .git/hooks`.
  const places = [place, `${place.replace(/\/+$/, "")}/`];
  return TRUSTED_PATHS.find(([pattern]) => places.some((one) => pattern.test(one)))?.[1];
}

/** Hidden files that only hold lists or values and that no program runs. */
const PLAIN_HIDDEN =
  /^\.(?:env(?:\.[\w.-]+)?|gitkeep|keep|nojekyll|editorconfig|(?:git|npm|docker|prettier|eslint|stylelint)ignore)$/;

/**
 * Whether changing a path may change what runs later: anything hidden (`.git`, `.vscode`, `.husky`,
 * `.github`) and installed packages. Every hidden name counts except those known to be plain, since a
 * list of names to avoid would never end.
 */
export function isGuarded(path: string): boolean {
  return path.split("/").some((part) => {
    if (part === "." || part === "..") return false;
    if (part.startsWith(".")) return !PLAIN_HIDDEN.test(part);
    return couldMatch(part.toLowerCase(), "node_modules") && /[a-z]/i.test(part);
  });
}

export type PathRelation = "inside" | "around" | "apart";

/** Returns whether a path (which may contain globs) is in a folder, above it, or elsewhere. */
export function findRelationTo(path: string, folder: string): PathRelation {
  const own = folder.split("/");
  const parts = path === "/" ? [""] : path.split("/");
  for (const [index, part] of parts.entries()) {
    const want = own[index];
    if (want === undefined) return "inside";
    if (part === want) continue;
    if (!isMarked(part) || !couldMatch(part, want)) return "apart";
  }
  return parts.length >= own.length ? "inside" : "around";
}

/** Decodes percent signs of an address: `file:///x/di%73t`. */
export function decodePercents(text: string): string {
  return text.replaceAll(/%([0-9a-fA-F]{2})/g, (_whole, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}

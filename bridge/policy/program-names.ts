// Owns which programs are blocked, which are dangerous and which are safe, with the reason for each.
// Does not look at arguments (unwrap/).

import { couldMatch, isGlob, isMarked, withoutUnknown } from "./word-marks.ts";

const BLOCKED: Readonly<Record<string, string>> = {
  // The programs that `spawn_background_terminal` always blocks.
  rm: "deletes files",
  sudo: "runs as another user",
  chmod: "changes permissions",
  chown: "changes owners",
  mkfs: "formats a disk",
  dd: "can overwrite devices",
  fdisk: "changes partitions",
  shutdown: "stops the machine",
  reboot: "stops the machine",
  halt: "stops the machine",
  poweroff: "stops the machine",
  kill: "ends processes",
  killall: "ends processes",
  pkill: "ends processes",
  // The same tools under the names that other packages give them.
  grm: "is rm (GNU on macOS)",
  srm: "is rm, overwriting",
  gchmod: "is chmod (GNU on macOS)",
  gchown: "is chown (GNU on macOS)",
  gdd: "is dd (GNU on macOS)",
  gkill: "is kill (GNU on macOS)",
  dcfldd: "is dd",
  dc3dd: "is dd",
  ddrescue: "is dd",
  mke2fs: "is mkfs",
  mkdosfs: "is mkfs",
  mkntfs: "is mkfs",
  newfs: "is mkfs (BSD)",
  sfdisk: "is fdisk",
  cfdisk: "is fdisk",
  gdisk: "is fdisk",
  sgdisk: "is fdisk",
  killall5: "is killall",
  skill: "is kill",
  xkill: "is kill",
  tskill: "is kill (Windows)",
  taskkill: "is kill (Windows)",
  // Other programs that do what sudo does.
  su: "runs as another user",
  doas: "runs as another user",
  pkexec: "runs as another user",
  sudoedit: "edits as another user",
  sudorun: "runs as another user",
  run0: "runs as another user",
  runuser: "runs as another user",
  gosu: "runs as another user",
  dzdo: "runs as another user",
  pfexec: "runs as another user",
  "su-exec": "runs as another user",
  "sudo-rs": "runs as another user",
  // Also blocked as a pattern (text-patterns.ts).
  eval: "runs its arguments as a command",
};

/** Not on the blocked list, but as hard to undo as programs that are. */
const DANGEROUS: Readonly<Record<string, string>> = {
  rmdir: "deletes folders",
  unlink: "deletes a file",
  shred: "overwrites files",
  wipe: "overwrites files",
  truncate: "truncates files",
  chgrp: "changes owners",
  chattr: "changes permissions",
  setfacl: "changes permissions",
  parted: "changes partitions",
  wipefs: "overwrites devices",
  blkdiscard: "overwrites devices",
  mkswap: "overwrites devices",
  mount: "changes which file systems are mounted",
  umount: "changes which file systems are mounted",
  insmod: "loads kernel code",
  modprobe: "loads kernel code",
  visudo: "changes who may be root",
  usermod: "changes users",
  useradd: "changes users",
  userdel: "changes users",
  passwd: "changes a password",
};

/** The default of `terminal.safeCommands`, in its order. */
export const DEFAULT_SAFE_COMMANDS: readonly string[] = (
  "awk cat cd chdir diff echo find git grep head help hostname id ipconfig tee ls netstat ps pwd " +
  "sort tail tree type uname uniq wc which touch mkdir npm yarn bun tsc node npx bunx vitest"
).split(" ");

const SAFE: ReadonlySet<string> = new Set(DEFAULT_SAFE_COMMANDS);

const SYSTEM_FOLDERS: ReadonlySet<string> = new Set([
  "/bin",
  "/usr/bin",
  "/usr/local/bin",
  "/sbin",
  "/usr/sbin",
]);

const SUFFIX = /\.(?:exe|com|bat|cmd)$/;
const VERSION =
  /^((?:python|pypy|ipython|jython|perl|ruby|php|lua|luajit|node|nodejs|bash|zsh|ksh|tclsh|pip)[a-z]*?)[-\d.]+$/;

/** Cache of one entry: the name of one command is looked up a dozen times in a row. */
let lastWord = "";
let lastName = "";

/** Returns the program that a word names: the last part of the path, in lower case, without a suffix. */
export function getProgramName(word: string): string {
  if (word === lastWord) return lastName;
  lastName = toProgramName(withoutUnknown(word));
  lastWord = word;
  return lastName;
}

function toProgramName(path: string): string {
  const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  // zsh reads `=rm` as the path of rm.
  const name = path
    .slice(cut + 1)
    .replace(/^=/, "")
    .toLowerCase();
  return name.includes(".") ? name.replace(SUFFIX, "") : name;
}

/** Debian's names for builds of one program: `vim.tiny`, `busybox.static`, `nc.openbsd`. */
const BUILD =
  /^([a-z][a-z-]*)\.(?:basic|tiny|small|nox|gtk\d?|athena|huge|full|static|openbsd|traditional|gnu|bsd|original|real|distrib)$/;

/** Returns the name under which rules know a program: `python` for `python3.12`, `bash` for `bash-5.2`. */
export function toRuleName(word: string): string {
  const program = getProgramName(word);
  const name = BUILD.exec(program)?.[1] ?? program;
  return VERSION.exec(name)?.[1] ?? name;
}

/** Returns why a program is blocked, or undefined; a glob counts if it could match a blocked name. */
export function findBlockedReason(word: string): string | undefined {
  const name = getProgramName(word);
  if (Object.hasOwn(BLOCKED, name)) return BLOCKED[name];
  if (name.startsWith("mkfs.")) return "formats a disk";
  if (name.startsWith("newfs_")) return "formats a disk";
  if (!isGlob(name)) return undefined;
  const match = Object.keys(BLOCKED).find((blocked) => couldMatch(name, blocked));
  return match === undefined ? undefined : `could match ${match}`;
}

/** Returns the same for a word among arguments, where `packages/*` means files, not programs. */
export function findBlockedArgumentReason(
  word: string,
  isAmongPrograms: boolean,
): string | undefined {
  const isFiles =
    isGlob(word) && /^[\w.@*\uE001\uE002]/.test(word) && !/[a-z]/.test(getProgramName(word));
  return isFiles && !isAmongPrograms ? undefined : findBlockedReason(word);
}

export function findDangerousReason(word: string): string | undefined {
  const name = getProgramName(word);
  return Object.hasOwn(DANGEROUS, name) ? DANGEROUS[name] : undefined;
}

/** Whether a word is exactly a listed name, bare or in a system folder: not `./ls`, `LS` or `l?`. */
export function isSafeName(word: string, names: ReadonlySet<string> = SAFE): boolean {
  if (isMarked(word)) return false;
  const cut = word.lastIndexOf("/");
  if (cut < 0) return names.has(word);
  return SYSTEM_FOLDERS.has(word.slice(0, cut)) && names.has(word.slice(cut + 1));
}

/** Whether a word is a path to a blocked program: copying or linking it gives the program a new name. */
export function isBlockedFile(word: string): boolean {
  return word.includes("/") && findBlockedReason(word) !== undefined;
}

const PROGRAM_FOLDER = /^(?:\/usr)?(?:\/local)?\/s?bin\//;

/** Whether a path is a blocked program in a system folder. */
export function isBlockedSystemFile(path: string): boolean {
  return PROGRAM_FOLDER.test(path) && findBlockedReason(path) !== undefined;
}

/** Whether a program does harm without any argument. */
export function isHarmfulAlone(word: string): boolean {
  return /^(?:reboot|halt|poweroff|shutdown|killall5)$/.test(getProgramName(word));
}

/** Programs without a rule, for which `rm` or `kill` is a sub-command of theirs, a file or a text. */
const TAKES_NAMES: ReadonlySet<string> = new Set(
  (
    "egrep fgrep ag ack jq yq printf test [ [[ : true false read unset return exit break continue let " +
    "whereis file stat md5sum sha1sum sha256sum cksum sum cmp comm ldd nm strings readelf objdump tldr info " +
    "apropos whatis pgrep pidof basename dirname realpath readlink expr seq rev tr fold fmt code subl open " +
    "xdg-open pytest jest mocha ava phpunit rspec brew port apk dnf yum pacman zypper pip pip3 gem composer " +
    "svn hg bzr jj dvc gh glab hub heroku fly flyctl gcloud gsutil aws az s3cmd rclone mc terraform vagrant " +
    "vercel netlify firebase wrangler supabase railway helm minikube kind multipass colima limactl podman-compose " +
    "redis-cli mongo etcdctl consul vault nomad tmuxinator adb fastboot lpr mdadm zfs zpool lvm"
  ).split(" "),
);

export function takesNamesAsData(word: string): boolean {
  return TAKES_NAMES.has(getProgramName(word));
}

export const BLOCKED_NAMES: readonly string[] = Object.keys(BLOCKED);

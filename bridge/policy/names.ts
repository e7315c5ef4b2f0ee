// Owns which programs are blocked, which are safe and which run code, with the reason for each.
// Does not look at arguments (unwrap/).

import { couldBe, isGlob, isMarked, known } from "./marks.ts";

const BLOCKED: Readonly<Record<string, string>> = {
  // Seed 000's list.
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
  // The same tools under the other names they are installed by.
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
  // What sudo does, by another program.
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
  // Seed 000 blocks it as a pattern; as a program it is the same.
  eval: "runs its arguments as a command",
};

/** Not on a seed's list, and as hard to undo as what is. */
const DANGEROUS: Readonly<Record<string, string>> = {
  rmdir: "deletes folders",
  unlink: "deletes a file",
  shred: "overwrites files",
  wipe: "overwrites files",
  truncate: "cuts files off",
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

/** Seed 004's `safeCommands`, whole and in its order. */
export const SEED_SAFE: readonly string[] = (
  "awk cat cd chdir diff echo find git grep head help hostname id ipconfig tee ls netstat ps pwd " +
  "sort tail tree type uname uniq wc which touch mkdir npm yarn bun tsc node npx bunx vitest"
).split(" ");

const SAFE: ReadonlySet<string> = new Set(SEED_SAFE);

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

/** One command's name is asked for a dozen times in a row. */
let lastWord = "";
let lastName = "";

/** The program a word names: last path part, lower case (file systems that ignore case exist), no suffix. */
export function programName(word: string): string {
  if (word === lastWord) return lastName;
  lastName = nameIn(known(word));
  lastWord = word;
  return lastName;
}

function nameIn(path: string): string {
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

/** `python3.12` and `bash-5.2` obey the rules of `python` and `bash`. */
export function ruleName(word: string): string {
  const program = programName(word);
  const name = BUILD.exec(program)?.[1] ?? program;
  return VERSION.exec(name)?.[1] ?? name;
}

/** Why the named program is blocked, or undefined. A glob is blocked if it could match a blocked name. */
export function blockedBecause(word: string): string | undefined {
  const name = programName(word);
  if (Object.hasOwn(BLOCKED, name)) return BLOCKED[name];
  if (name.startsWith("mkfs.")) return "formats a disk";
  if (name.startsWith("newfs_")) return "formats a disk";
  if (!isGlob(name)) return undefined;
  const match = Object.keys(BLOCKED).find((blocked) => couldBe(name, blocked));
  return match === undefined ? undefined : `could match ${match}`;
}

/** The same for a word among arguments, where `packages/*` is files, not programs. */
export function blockedArgument(word: string, isAmongPrograms: boolean): string | undefined {
  const isFiles =
    isGlob(word) && /^[\w.@*\uE001\uE002]/.test(word) && !/[a-z]/.test(programName(word));
  return isFiles && !isAmongPrograms ? undefined : blockedBecause(word);
}

export function dangerousBecause(word: string): string | undefined {
  const name = programName(word);
  return Object.hasOwn(DANGEROUS, name) ? DANGEROUS[name] : undefined;
}

/** An exact name from the list, bare or in a system folder. `./ls`, `LS` and `l?` are other programs. */
export function isSafeName(word: string, names: ReadonlySet<string> = SAFE): boolean {
  if (isMarked(word)) return false;
  const cut = word.lastIndexOf("/");
  if (cut < 0) return names.has(word);
  return SYSTEM_FOLDERS.has(word.slice(0, cut)) && names.has(word.slice(cut + 1));
}

/** A system program's file, where copying or linking it makes the same program under a new name. */
export function isBlockedFile(word: string): boolean {
  return word.includes("/") && blockedBecause(word) !== undefined;
}

const PROGRAM_FOLDER = /^(?:\/usr)?(?:\/local)?\/s?bin\//;

/** The file of a blocked program where the system keeps it. */
export function isBlockedSystemFile(path: string): boolean {
  return PROGRAM_FOLDER.test(path) && blockedBecause(path) !== undefined;
}

/** Without a word after it, too. */
export function harmsAlone(word: string): boolean {
  return /^(?:reboot|halt|poweroff|shutdown|killall5)$/.test(programName(word));
}

/** Programs without a rule, for which `rm` or `kill` is a verb of theirs, a file or a text. */
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
  return TAKES_NAMES.has(programName(word));
}

export const BLOCKED_NAMES: readonly string[] = Object.keys(BLOCKED);

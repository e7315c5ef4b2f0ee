// Owns the harmless calls of small programs: those that read, list and compare files, and the few
// that write one. Programs of the safe list without a row here do no harm (harmless-calls.ts). Also
// owns programs beyond `terminal.safeCommands` that only print, compare or wait, with the calls in
// which they do: `true || ls`, `test -f x && cat x`.

import { ANY_CHAR, ANY_TEXT, isMarked, PROGRAM_OUTPUT, UNKNOWN_VALUE } from "../word-marks.ts";
import type { HarmlessCall } from "./call-shape.ts";

const NONE = { max: 0 };
const ALL_INSIDE = { inside: { from: 0 }, changes: { from: 0 } };

const FIND_TESTS =
  "-amin= -anewer= -atime= -cmin= -cnewer= -context= -ctime= -fstype= -gid= -group= -ilname= -iname= -inum= " +
  "-ipath= -iregex= -iwholename= -links= -lname= -maxdepth= -mindepth= -mmin= -mtime= -name= -newer= -path= " +
  "-perm= -printf= -regex= -regextype= -samefile= -size= -type= -uid= -used= -user= -wholename= -xtype= " +
  "-newermt= -newerct= -newerat= -newermm= -newerBt=";
const FIND_FLAGS =
  "-H -L -P -E -X -s -a -and -o -or -not -daystart -depth -d -empty -executable -false -follow " +
  "-ignore_readdir_race -ls -mount -nogroup -noignore_readdir_race -noleaf -nouser -nowarn -print -print0 " +
  "-prune -quit -readable -true -warn -writable -xdev -O1 -O2 -O3 --help --version -help -version";

export const FILE_CALLS: Readonly<Record<string, HarmlessCall>> = {
  // awk programs are judged by their text (unwrap/text-programs.ts); code from a file or a library
  // is not read.
  awk: {
    options: "-F= -v= --field-separator= --assign= --posix --csv --version --help -V -h",
    runsFirst: true,
  },
  diff: {
    options:
      "-a -b -B -c -d -e -E -i -n -N -p -q -r -s -t -T -u -w -y -Z -C= -U= -W= -D= -F= -I= -L= -S= -x= -X= " +
      "-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --brief --color[=] --context[=] --unified[=] --ed --exclude= --exclude-from= " +
      "--expand-tabs --from-file= --to-file= --ignore-all-space --ignore-blank-lines --ignore-case " +
      "--ignore-file-name-case --ignore-matching-lines= --ignore-space-change --ignore-tab-expansion " +
      "--ignore-trailing-space --initial-tab --label= --left-column --minimal --new-file --no-dereference " +
      "--normal --rcs --recursive --report-identical-files --show-c-function --show-function-line= " +
      "--side-by-side --speed-large-files --starting-file= --strip-trailing-cr --suppress-blank-empty " +
      "--suppress-common-lines --tabsize= --text --unidirectional-new-file --width= --version --help",
  },
  find: { options: `${FIND_FLAGS} ${FIND_TESTS}`, wholeWords: true },
  // Its operand would be the new name of the machine.
  hostname: {
    options:
      "-a -A -d -f -i -I -s -y --alias --all-fqdns --domain --fqdn --long --ip-address --all-ip-addresses " +
      "--short --version --help -V -h",
    operands: NONE,
  },
  ipconfig: {
    subCommands: {
      "/all /? /allcompartments /displaydns": { operands: NONE },
      "getifaddr getoption getpacket getv6packet getra getsummary ifcount": {},
    },
  },
  mkdir: {
    options: "-p -v --parents --verbose --version --help",
    operands: ALL_INSIDE,
    dependsOnFolder: true,
  },
  sort: {
    options:
      "-b -d -f -g -h -i -M -n -R -r -V -c -C -m -s -u -z -k= -S= -t= --ignore-leading-blanks " +
      "--dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort " +
      "--human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --check[=] --merge --stable " +
      "--unique --zero-terminated --key= --buffer-size= --field-separator= --parallel= --sort= --debug " +
      "--version --help",
  },
  // The files that it writes are judged in unwrap/file-programs.ts.
  tee: {
    options: "-a -i -p --append --ignore-interrupts --output-error[=] --version --help",
  },
  touch: {
    options: "-a -c -h -m -d= -r= -t= --no-create --date= --reference= --time= --version --help",
    operands: ALL_INSIDE,
    dependsOnFolder: true,
  },
  // Leaves out -R: at the depth of -L it starts tree again and writes a file.
  tree: {
    options:
      "-a -d -f -i -l -x -p -s -h -u -g -D -F -q -N -Q -r -t -c -U -v -A -S -C -n -X -J -L= -P= -I= " +
      "--dirsfirst --filesfirst --noreport --prune --gitignore --filelimit= --charset= --timefmt= --sort[=] " +
      "--si --du --inodes --device --matchdirs --ignore-case --metafirst --nolinks --hintro= --houtro= " +
      "--version --help",
    noGluedValues: true,
  },
  // A second operand would be a file that it writes.
  uniq: {
    options:
      "-c -d -D -i -u -z -f= -s= -w= --count --repeated --all-repeated[=] --group[=] --skip-fields= " +
      "--ignore-case --skip-chars= --unique --zero-terminated --check-chars= --version --help",
    operands: { max: 1 },
  },
};

// Owns programs beyond `terminal.safeCommands` that only print, compare or wait, with the calls in
// which they do: `true || ls`, `test -f x && cat x`. Their verdict may be safe; the level is not
// [A15].

const NO_OPERANDS = { max: 0 };
/** Operand of `break` and `continue`: how many loops to leave. zsh evaluates any other text. */
const LEVELS = { max: 1, pattern: /^\d+$/ };
const HELP = "--help --version";

/** Leaves out `-v` and `-R`, whose subscript bash evaluates, and `-o`, which also means "or". */
const FILE_TEST = /^-[bcdefghknprsuwxzGLNOS]$/;
const TEXT_COMPARISON = /^(?:==?|!=|<|>|-nt|-ot|-ef)$/;
const NUMBER_COMPARISON = /^-(?:eq|ne|lt|le|gt|ge)$/;
const WHOLE_NUMBER = /^[+-]?\d+$/;
const CONNECTIVE = /^-[ao]$/;

/** Whether the words are one plain test, with digits as numbers: zsh and ksh evaluate any other text. */
function isPlainTest(words: readonly string[]): boolean {
  const [first = "", operator = "", last = ""] = words;
  if (words.length === 1) return true;
  if (words.length === 2)
    return FILE_TEST.test(first) || (first === "-t" && WHOLE_NUMBER.test(operator));
  if (words.length !== 3) return false;
  if (TEXT_COMPARISON.test(operator)) return true;
  return NUMBER_COMPARISON.test(operator) && WHOLE_NUMBER.test(first) && WHOLE_NUMBER.test(last);
}

function isHarmlessTest(args: readonly string[]): boolean {
  // A pattern or a stream may expand to any number of words, including operators.
  if (args.some((word) => [ANY_CHAR, ANY_TEXT, PROGRAM_OUTPUT].some((mark) => word.includes(mark))))
    return false;
  const tests: string[][] = [[]];
  for (const word of args) {
    const current = tests.at(-1);
    if (CONNECTIVE.test(word) && current !== undefined && current.length > 0) tests.push([]);
    else if (word !== "!" || current?.length !== 0) current?.push(word);
  }
  // After a connective, an unknown word could shift the role of every other word.
  if (tests.length > 1 && args.some((word) => word.includes(UNKNOWN_VALUE))) return false;
  return args.length === 0 || tests.every(isPlainTest);
}

const FORMAT = /^(?:[^%]|%%|%[-+ #0]*\d*(?:\.\d+)?[sbqcdiouxXeEfFgG])*$/;
const NUMBER_FORMAT = /%[-+ #0]*\d*(?:\.\d+)?[diouxXeEfFgG]/;
const PLAIN_NUMBER = /^[+-]?[\d.]*$/;

/** Whether a call of printf is harmless: `-v` and `%n` set a variable, and zsh evaluates `%d`. */
function isHarmlessPrintf(args: readonly string[]): boolean {
  const [format = "", ...values] = args[0] === "--" ? args.slice(1) : args;
  if (format.startsWith("-") || isMarked(format) || !FORMAT.test(format)) return false;
  return !NUMBER_FORMAT.test(format) || values.every((value) => PLAIN_NUMBER.test(value));
}

export const QUIET_CALLS: Readonly<Record<string, HarmlessCall>> = {
  true: { allowsAnything: true },
  false: { allowsAnything: true },
  ":": { allowsAnything: true },
  break: { operands: LEVELS },
  continue: { operands: LEVELS },
  test: { matchesAll: isHarmlessTest },
  "[": { matchesAll: (args) => args.at(-1) === "]" && isHarmlessTest(args.slice(0, -1)) },
  printf: { matchesAll: isHarmlessPrintf },
  // An operand without `+` sets the clock, as -s does.
  date: {
    options: `-u -R -I[=] -d= -r= --utc --universal --rfc-email --rfc-3339= --iso-8601[=] --date= --reference= ${HELP}`,
    operands: { max: 1, pattern: /^\+/ },
  },
  whoami: { options: HELP, operands: NO_OPERANDS },
  basename: { options: `-a -s= -z --multiple --suffix= --zero ${HELP}` },
  dirname: { options: `-z --zero ${HELP}` },
  seq: {
    options: `-w -f= -s= --equal-width --format= --separator= ${HELP}`,
    operands: { max: 3 },
  },
  nproc: { options: `--all --ignore= ${HELP}`, operands: NO_OPERANDS },
  uptime: { options: `-p -s --pretty --since ${HELP}`, operands: NO_OPERANDS },
};

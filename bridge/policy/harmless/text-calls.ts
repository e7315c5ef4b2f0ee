// Owns the harmless calls of small programs beyond `terminal.safeCommands` that cut, count, compare or
// describe files and write none: the usual parts of a pipe. Their verdict may be safe; the level is
// not [A15].

import type { HarmlessCall } from "./call-shape.ts";

const HELP = "--help --version";

/** Lines by their numbers: `5p`, `10,50p`, `$p`, several with `;`. Other scripts of sed can write and run. */
const PRINTS_LINES = /^(?:\d+|\$)(?:,(?:\d+|\$))?p(?:;(?:\d+|\$)(?:,(?:\d+|\$))?p)*$/;
const CHECKSUM: HarmlessCall = {
  options: `-b -c -t -w -z --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn ${HELP}`,
};

export const TEXT_CALLS: Readonly<Record<string, HarmlessCall>> = {
  cut: {
    options: `-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated ${HELP}`,
  },
  tr: {
    options: `-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1 ${HELP}`,
    operands: { max: 2 },
  },
  nl: { options: `-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= ${HELP}` },
  tac: { options: `-b -r -s= --before --regex --separator= ${HELP}` },
  rev: { options: HELP },
  fold: { options: `-b -s -w= --bytes --spaces --width= ${HELP}` },
  paste: { options: `-d= -s -z --delimiters= --serial --zero-terminated ${HELP}` },
  comm: {
    options: `-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated ${HELP}`,
  },
  cmp: { options: `-b -i= -l -n= -s --print-bytes --verbose --quiet --silent --bytes= ${HELP}` },
  column: { options: `-t -s= -o= -c= -n -e -x --table --separator= --output-separator= ${HELP}` },
  od: {
    options: `-a -b -c -d -i -l -o -s -x -v -A= -j= -N= -t= -w[=] --address-radix= --format= --read-bytes= --skip-bytes= ${HELP}`,
  },
  // A second operand is a file that it writes.
  xxd: { options: "-b -e -i -p -u -c= -g= -l= -s= -o= -h -v", operands: { max: 1 } },
  // Leaves out -C, which writes, -m, which loads, and -z, which runs a program.
  file: {
    options: `-b -h -i -k -L -r -s -0 -F= --brief --mime --mime-type --mime-encoding --extension ${HELP}`,
  },
  stat: {
    options: `-c= -f -L -t --format= --printf= --dereference --file-system --terse ${HELP}`,
  },
  du: {
    options: `-0 -a -b -c -D -h -H -k -l -L -m -P -s -S -x -d= -t= -B= --all --apparent-size --bytes --total --human-readable --si --summarize --max-depth= --threshold= --block-size= --exclude= --one-file-system --inodes --time[=] ${HELP}`,
  },
  df: {
    options: `-a -h -H -i -k -l -P -T -B= -t= -x= --all --human-readable --si --inodes --local --portability --print-type --total --type= --exclude-type= --block-size= --output[=] ${HELP}`,
  },
  realpath: {
    options: `-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to= --relative-base= --strip --no-symlinks --zero ${HELP}`,
  },
  readlink: {
    options: `-e -f -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero ${HELP}`,
  },
  cksum: CHECKSUM,
  md5sum: CHECKSUM,
  sha1sum: CHECKSUM,
  sha256sum: CHECKSUM,
  sha512sum: CHECKSUM,
  sed: {
    matchesAll: ([flag, script = "", ...files]) =>
      flag === "-n" && PRINTS_LINES.test(script) && files.every((file) => !file.startsWith("-")),
  },
  sleep: { options: HELP, operands: { pattern: /^\d*\.?\d+[smhd]?$/ } },
  // Leaves out -x and -X, which run a program, and -l, which runs `ls`.
  fd: {
    options:
      "-H -I -u -s -i -g -F -a -L -p -0 -1 -q -d= -t= -e= -E= -S= -c= --hidden --no-ignore --unrestricted " +
      "--case-sensitive --ignore-case --glob --fixed-strings --absolute-path --follow --full-path --print0 --quiet " +
      `--max-depth= --min-depth= --exact-depth= --type= --extension= --exclude= --size= --changed-within= --changed-before= --max-results= --color= ${HELP}`,
  },
};

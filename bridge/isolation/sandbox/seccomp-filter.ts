// Owns the seccomp filter of the sandbox, in classic BPF. It denies typing into the terminal from
// inside (TIOCSTI, TIOCLINUX), keyrings of the session outside, setuid and setgid files (in the
// workspace they would take effect outside), system calls of another architecture or such that bypass
// the filter, and sockets to the host of a virtual machine. Pure. Everything else is allowed:
// namespaces isolate.

/** Which argument holds the mode of a file, and which one holds the flags that create it. */
interface ModeCall {
  readonly call: number;
  readonly mode: number;
  readonly flags?: number;
}

interface Architecture {
  /** AUDIT_ARCH_… */
  readonly audit: number;
  readonly ioctl: number;
  readonly socket: number;
  /** add_key, request_key, keyctl. */
  readonly keys: readonly number[];
  readonly modeCalls: readonly ModeCall[];
}

/**
 * The same on all architectures: io_uring_setup, _enter, _register; openat2, whose mode the filter
 * cannot read.
 */
const BYPASSES_FILTER = [425, 426, 427, 437];
const FCHMODAT2: ModeCall = { call: 452, mode: 2 };

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    ioctl: 16,
    socket: 41,
    keys: [248, 249, 250],
    modeCalls: [
      { call: 2, mode: 2, flags: 1 }, // open
      { call: 257, mode: 3, flags: 2 }, // openat
      { call: 85, mode: 1 }, // creat
      { call: 90, mode: 1 }, // chmod
      { call: 91, mode: 1 }, // fchmod
      { call: 268, mode: 2 }, // fchmodat
      { call: 133, mode: 1 }, // mknod
      { call: 259, mode: 2 }, // mknodat
      FCHMODAT2,
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    ioctl: 29,
    socket: 198,
    keys: [217, 218, 219],
    modeCalls: [
      { call: 56, mode: 3, flags: 2 }, // openat
      { call: 52, mode: 1 }, // fchmod
      { call: 53, mode: 2 }, // fchmodat
      { call: 33, mode: 2 }, // mknodat
      FCHMODAT2,
    ],
  },
};

const LOAD_WORD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const EAFNOSUPPORT = 0x00050061;

/** Offsets in struct seccomp_data. */
const NUMBER = 0;
const ARCH = 4;
/** Returns the offset of an argument's lower half; modes, flags and requests fit into it. */
const argument = (index: number) => 16 + 8 * index;

/** Bit in the number of x32's system calls. */
const X32 = 0x40000000;
/** Sockets to the host of a virtual machine; no network namespace blocks them. */
const AF_VSOCK = 40;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/**
 * S_ISUID and S_ISGID. A filter cannot tell a folder, where S_ISGID is harmless, from a file; and an
 * access list could later add a missing right to run it.
 */
const SETUID_SETGID = 0o6000;
/** O_CREAT, and the bit of O_TMPFILE. */
const CREATE_FLAGS = 0o100 | 0o20000000;

/** [code, jump if true, jump if false, operand]; jumps count skipped instructions. */
type Instruction = readonly [code: number, yes: number, no: number, operand: number];

export function isKnownArchitecture(name: string): boolean {
  return Object.hasOwn(ARCHITECTURES, name);
}

/** Returns the filter as bytes. Throws for an unknown architecture. */
export function toSeccompFilter(name: string): Buffer {
  const architecture = ARCHITECTURES[name];
  if (architecture === undefined) throw new Error(`no filter for ${name}`);
  const { audit, ioctl, socket, keys, modeCalls } = architecture;
  return encodeInstructions([
    [LOAD_WORD, 0, 0, ARCH],
    [IF_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, ENOSYS],
    [LOAD_WORD, 0, 0, NUMBER],
    [IF_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, ENOSYS],
    ...keys.flatMap((call) => toRefusal(call, EPERM)),
    ...BYPASSES_FILTER.flatMap((call) => toRefusal(call, ENOSYS)),
    ...modeCalls.flatMap(denySetuid),
    [IF_EQUAL, 0, 4, socket],
    [LOAD_WORD, 0, 0, argument(0)],
    [IF_EQUAL, 0, 1, AF_VSOCK],
    [RETURN, 0, 0, EAFNOSUPPORT],
    [RETURN, 0, 0, ALLOW],
    [IF_EQUAL, 1, 0, ioctl],
    [RETURN, 0, 0, ALLOW],
    [LOAD_WORD, 0, 0, argument(1)],
    [IF_EQUAL, 1, 0, TIOCSTI],
    [IF_EQUAL, 0, 1, TIOCLINUX],
    [RETURN, 0, 0, EPERM],
    [RETURN, 0, 0, ALLOW],
  ]);
}

function toRefusal(call: number, answer: number): Instruction[] {
  return [
    [IF_EQUAL, 0, 1, call],
    [RETURN, 0, 0, answer],
  ];
}

/** Returns the instructions for one call; they always return, since the call's number is overwritten. */
function denySetuid({ call, mode, flags }: ModeCall): Instruction[] {
  const making: Instruction[] =
    flags === undefined
      ? []
      : [
          [LOAD_WORD, 0, 0, argument(flags)],
          [IF_ANY_BIT, 0, 3, CREATE_FLAGS],
        ];
  const rest: Instruction[] = [
    ...making,
    [LOAD_WORD, 0, 0, argument(mode)],
    [IF_ANY_BIT, 0, 1, SETUID_SETGID],
    [RETURN, 0, 0, EPERM],
    [RETURN, 0, 0, ALLOW],
  ];
  return [[IF_EQUAL, 0, rest.length, call], ...rest];
}

function encodeInstructions(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, yes, no, operand]] of program.entries()) {
    const at = bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, at);
    bytes.writeUInt8(no, at + 1);
    bytes.writeUInt32LE(operand, at + 2);
  }
  return bytes;
}

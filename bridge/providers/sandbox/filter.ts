// Owns the seccomp filter of the sandbox, in the kernel's classic BPF: no typing into the terminal
// from inside (TIOCSTI, TIOCLINUX), no keyrings of the session outside, no system calls of another
// architecture. Pure. Everything else is let through: the wall is the namespaces.

interface Architecture {
  /** AUDIT_ARCH_… */
  readonly audit: number;
  readonly ioctl: number;
  /** add_key, request_key, keyctl. */
  readonly keys: readonly number[];
}

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: { audit: 0xc000003e, ioctl: 16, keys: [248, 249, 250] },
  arm64: { audit: 0xc00000b7, ioctl: 29, keys: [217, 218, 219] },
};

const LOAD_WORD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;

/** Offsets in struct seccomp_data. */
const NUMBER = 0;
const ARCH = 4;
/** The lower half of the second argument; the kernel looks at no more of an ioctl's request. */
const REQUEST = 24;

/** x32's calls have this bit in their number. */
const X32 = 0x40000000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** [code, jump if true, jump if false, operand]; jumps count the instructions passed over. */
type Instruction = readonly [code: number, yes: number, no: number, operand: number];

export function isKnownArchitecture(name: string): boolean {
  return Object.hasOwn(ARCHITECTURES, name);
}

/** Throws for an architecture that is not known. */
export function terminalFilter(name: string): Buffer {
  const architecture = ARCHITECTURES[name];
  if (architecture === undefined) throw new Error(`no filter for ${name}`);
  const { audit, ioctl, keys } = architecture;
  const program: Instruction[] = [
    [LOAD_WORD, 0, 0, ARCH],
    [IF_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, ENOSYS],
    [LOAD_WORD, 0, 0, NUMBER],
    [IF_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, ENOSYS],
    ...keys.flatMap((key): Instruction[] => [
      [IF_EQUAL, 0, 1, key],
      [RETURN, 0, 0, EPERM],
    ]),
    [IF_EQUAL, 1, 0, ioctl],
    [RETURN, 0, 0, ALLOW],
    [LOAD_WORD, 0, 0, REQUEST],
    [IF_EQUAL, 1, 0, TIOCSTI],
    [IF_EQUAL, 0, 1, TIOCLINUX],
    [RETURN, 0, 0, EPERM],
    [RETURN, 0, 0, ALLOW],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, yes, no, operand]] of program.entries()) {
    const at = bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, at);
    bytes.writeUInt8(no, at + 1);
    bytes.writeUInt32LE(operand, at + 2);
  }
  return bytes;
}

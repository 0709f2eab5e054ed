import {
  examinedCalls,
  FIRST_RECENT_CALL,
  type FilteredArchitecture,
  isFiltered,
  knownProcessOptions,
  MAP_ANONYMOUS,
  MAP_HUGETLB,
  MAP_SHARED,
  NAMESPACE_FLAGS,
  refusedAdvice,
  refusedFileCommands,
  refusedNumbers,
  refusedSocketOptions,
  SOCK_STREAM,
  SOCKET_TYPE_MASK,
  SOL_SOCKET,
  socketFamilies,
} from './refusedCalls.ts';

const EPERM = 1;
const EINVAL = 22;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Codes of classic BPF (`linux/filter.h`). */
const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_OR_EQUAL = 0x35;
const JUMP_SET = 0x45;
const AND = 0x54;
const RETURN = 0x06;

/** Offsets in `struct seccomp_data`; lower half of an argument. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number) => 16 + 8 * index;

/** `AUDIT_ARCH_*`. */
const auditArchitectures = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
/** Bit of calls in the x32 interface, which would bypass the numbers. */
const X32_BIT = 0x40000000;

const ALLOW = 0x7fff0000;
const refusal = (errno: number) => 0x00050000 | errno;

/** One instruction; `yes` and `no` are the numbers of instructions to skip. */
type Instruction = readonly [code: number, yes: number, no: number, value: number];

/**
 * System call filter as `struct sock_filter[]` for bubblewrap's `--seccomp`; undefined on architectures without known
 * call numbers.
 *
 * Calls of another architecture are refused. `clone3` "does not exist", since a filter cannot read its flags: libc
 * then uses `clone`. See `refusedCalls` for the rest.
 */
export function seccompFilter(architecture: string): Buffer | undefined {
  if (!isFiltered(architecture)) return undefined;
  const program = [
    ...checkArchitecture(architecture),
    ...refusedNumbers(architecture).flatMap((number) => when(number, [give(refusal(EPERM))])),
    ...[[JUMP_GREATER_OR_EQUAL, 0, 1, FIRST_RECENT_CALL] as const, give(refusal(ENOSYS))],
    ...when(examinedCalls.clone3[architecture], [give(refusal(ENOSYS))]),
    ...when(examinedCalls.clone[architecture], refuseFlags(0, NAMESPACE_FLAGS)),
    ...when(examinedCalls.mmap[architecture], refuseForeignMemory()),
    ...when(examinedCalls.madvise[architecture], choose(argument(2), refusedAdvice, refusal(EPERM), ALLOW)),
    ...when(
      examinedCalls.prctl[architecture],
      choose(argument(0), knownProcessOptions, ALLOW, refusal(EINVAL)),
    ),
    ...when(
      examinedCalls.fcntl[architecture],
      choose(argument(1), refusedFileCommands, refusal(EPERM), ALLOW),
    ),
    ...when(examinedCalls.setsockopt[architecture], refuseSocketOptions()),
    ...when(examinedCalls.socket[architecture], allowStreams()),
    ...when(examinedCalls.socketpair[architecture], allowStreams()),
    give(ALLOW),
  ];
  return encode(program);
}

function checkArchitecture(architecture: FilteredArchitecture): Instruction[] {
  return [
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, auditArchitectures[architecture]],
    give(refusal(EPERM)),
    [LOAD, 0, 0, NUMBER],
    [JUMP_GREATER_OR_EQUAL, 0, 1, X32_BIT],
    give(refusal(EPERM)),
  ];
}

/** Runs instructions for one call number; they must end in a decision. */
function when(number: number, instructions: readonly Instruction[]): Instruction[] {
  return [[JUMP_EQUAL, 0, instructions.length, number], ...instructions];
}

function refuseFlags(index: number, flags: number): Instruction[] {
  return [[LOAD, 0, 0, argument(index)], [JUMP_SET, 0, 1, flags], give(refusal(EPERM)), give(ALLOW)];
}

/** Refuses memory that belongs to no process: shared without a file, or of the machine's huge pages. */
function refuseForeignMemory(): Instruction[] {
  return [
    [LOAD, 0, 0, argument(3)],
    [JUMP_SET, 0, 1, MAP_HUGETLB],
    give(refusal(EPERM)),
    [JUMP_SET, 0, 2, MAP_ANONYMOUS],
    [JUMP_SET, 0, 1, MAP_SHARED],
    give(refusal(EPERM)),
    give(ALLOW),
  ];
}

function refuseSocketOptions(): Instruction[] {
  return [
    [LOAD, 0, 0, argument(1)],
    [JUMP_EQUAL, 1, 0, SOL_SOCKET],
    give(ALLOW),
    ...choose(argument(2), refusedSocketOptions, refusal(EPERM), ALLOW),
  ];
}

/** Decides whether an argument is one of some values. */
function choose(offset: number, values: readonly number[], among: number, otherwise: number): Instruction[] {
  const checks = values.map((value, index): Instruction => [JUMP_EQUAL, values.length - index, 0, value]);
  return [[LOAD, 0, 0, offset], ...checks, give(otherwise), give(among)];
}

function allowStreams(): Instruction[] {
  return [
    [LOAD, 0, 0, argument(1)],
    [AND, 0, 0, SOCKET_TYPE_MASK],
    [JUMP_EQUAL, 1, 0, SOCK_STREAM],
    give(refusal(EAFNOSUPPORT)),
    ...choose(argument(0), socketFamilies, ALLOW, refusal(EAFNOSUPPORT)),
  ];
}

function give(decision: number): Instruction {
  return [RETURN, 0, 0, decision];
}

/** Encodes in the machine's byte order: both architectures are little-endian. */
function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, yes, no, value], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  });
  return bytes;
}

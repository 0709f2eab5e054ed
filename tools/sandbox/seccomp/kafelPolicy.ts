import {
  bufferOptions,
  type FilteredArchitecture,
  isFiltered,
  MAP_ANONYMOUS,
  MAP_SHARED,
  NAMESPACE_FLAGS,
  refusedCalls,
  refusedFileCommands,
  SOCK_STREAM,
  SOCKET_TYPE_MASK,
  SOL_SOCKET,
  socketFamilies,
} from './refusedCalls.ts';

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/**
 * The filter of system calls in Kafel, the language that nsjail reads: the same rules as `seccompFilter`. Undefined on
 * architectures that we have no call numbers of; Kafel does not know all calls by name.
 */
export function kafelPolicy(architecture: string): string | undefined {
  if (!isFiltered(architecture)) return undefined;
  const families = socketFamilies.map((family) => `family != ${family}`).join(' && ');
  const otherSocket = `(${families}) || (type & ${SOCKET_TYPE_MASK}) != ${SOCK_STREAM}`;
  const shared = `(flags & ${MAP_ANONYMOUS}) != 0 && (flags & ${MAP_SHARED}) != 0`;
  const fileCommand = refusedFileCommands.map((command) => `cmd == ${command}`).join(' || ');
  const bufferOption = bufferOptions.map((option) => `optname == ${option}`).join(' || ');
  const rules = [
    `ERRNO(${EPERM}) { ${refusedNumbers(architecture)} }`,
    `ERRNO(${EPERM}) { clone { (clone_flags & ${NAMESPACE_FLAGS}) != 0 }, mmap { ${shared} } }`,
    `ERRNO(${EPERM}) { setsockopt { level == ${SOL_SOCKET} && (${bufferOption}) } }`,
    `ERRNO(${EPERM}) { fcntl { ${fileCommand} } }`,
    `ERRNO(${ENOSYS}) { clone3 }`,
    `ERRNO(${EAFNOSUPPORT}) { socket { ${otherSocket} }, socketpair { ${otherSocket} } }`,
  ];
  return `POLICY refused { ${rules.join(', ')} } USE refused DEFAULT ALLOW`;
}

function refusedNumbers(architecture: FilteredArchitecture): string {
  return Object.values(refusedCalls)
    .map((numbers) => `SYSCALL[${numbers[architecture]}]`)
    .join(', ');
}

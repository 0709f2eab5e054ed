import { readdirSync, readFileSync } from 'node:fs';

/** `O_CLOEXEC` in the octal `flags` line of `/proc/self/fdinfo/N`. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors that every child of this process gets: high ones that it was itself started with (Node marks its own
 * and the lowest sixteen). A sandbox must not have them. Empty where there is no `/proc`.
 */
export function inheritedDescriptors(): number[] {
  let names: string[];
  try {
    names = readdirSync('/proc/self/fdinfo');
  } catch {
    return [];
  }
  return names.map(Number).filter((descriptor) => descriptor > 2 && isInherited(descriptor));
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // It was the listing's own descriptor, closed by now.
    return false;
  }
}

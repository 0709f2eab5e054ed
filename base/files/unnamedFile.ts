import { constants, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** `O_TMPFILE` of Linux (open(2)), missing from Node's constants: a file without a name. */
const unnamed = 0o20000000 | constants.O_DIRECTORY | constants.O_RDWR;

/**
 * Opens an unnamed temporary file for reading and writing: the system removes it with the process, however that ends.
 * Outside Linux, and on file systems without such files, it briefly has a name.
 * @param folder made where it is missing; default: the one that `TMPDIR` names
 * @returns its descriptor, for the caller to close
 * @throws the system's error where the folder can't be written
 */
export function openUnnamedFile(folder = tmpdir()): number {
  mkdirSync(folder, { recursive: true });
  if (process.platform === 'linux') {
    try {
      return openSync(folder, unnamed, 0o600);
    } catch {
      // Unsupported by this kernel or file system; other errors recur below.
    }
  }
  const own = mkdtempSync(path.join(folder, 'coa-distill-'));
  try {
    return openSync(path.join(own, 'unnamed'), 'wx+', 0o600);
  } finally {
    rmSync(own, { recursive: true });
  }
}

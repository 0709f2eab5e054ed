import { constants, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** `O_TMPFILE` of Linux (open(2)), which Node's constants lack: a file that never has a name. */
const unnamed = 0o20000000 | constants.O_DIRECTORY | constants.O_RDWR;

/**
 * Opens a temporary file without a name, for reading and writing: the system removes it with the process, however that
 * ends. Elsewhere than on Linux, and on file systems that lack such files, it has a name for a moment.
 *
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
      // This kernel or file system has none; whatever else is wrong shows below.
    }
  }
  const own = mkdtempSync(path.join(folder, 'coa-distill-'));
  try {
    return openSync(path.join(own, 'unnamed'), 'wx+', 0o600);
  } finally {
    rmSync(own, { recursive: true });
  }
}

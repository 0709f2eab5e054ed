import { open, rename, rm } from 'node:fs/promises';
import { onDisk } from '../../base/files/diskError.ts';
import { packageVersion } from '../../base/packageVersion.ts';
import { UserError } from '../../base/userError.ts';
import type { LintFinding } from '../../output/lint/finding.ts';
import { sarifHead, sarifResult, sarifTail } from '../../output/lint/report/sarif.ts';

/** A SARIF file that is written row by row. */
export interface SarifFile {
  add(findings: readonly LintFinding[]): Promise<void>;
  /** Gives the file its name: before, nothing is visible under it. */
  finish(): Promise<void>;
  /** Removes what was written; does nothing after `finish`. */
  abort(): Promise<void>;
}

/** Opens the file beside its final name. */
export async function openSarifFile(path: string): Promise<SarifFile> {
  const temporary = `${path}.tmp`;
  const handle = await open(temporary, 'w').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? 'its folder does not exist' : `it can't be written (${cause.code})`;
    throw new UserError(`--sarif ${path}: ${why}; name another file`, { cause });
  });
  await onDisk(path, () => handle.writeFile(sarifHead(packageVersion())));
  let isFirst = true;
  return {
    async add(findings) {
      if (findings.length === 0) return;
      const results = findings.map(sarifResult).join(',\n');
      await onDisk(path, () => handle.writeFile(isFirst ? results : `,\n${results}`));
      isFirst = false;
    },
    async finish() {
      await onDisk(path, async () => {
        await handle.writeFile(sarifTail);
        await handle.sync();
        await handle.close();
        await rename(temporary, path);
      });
    },
    async abort() {
      await handle.close().catch(() => undefined);
      await rm(temporary, { force: true });
    },
  };
}

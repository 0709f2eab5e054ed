import { createRequestedFile } from '../../base/files/requestedFile.ts';
import { packageVersion } from '../../base/packageVersion.ts';
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
  const file = await createRequestedFile(path, '--sarif');
  await file.write(sarifHead(packageVersion()));
  let isFirst = true;
  return {
    async add(findings) {
      if (findings.length === 0) return;
      const results = findings.map(sarifResult).join(',\n');
      await file.write(isFirst ? results : `,\n${results}`);
      isFirst = false;
    },
    async finish() {
      await file.write(sarifTail);
      await file.commit();
    },
    abort: () => file.discard(),
  };
}

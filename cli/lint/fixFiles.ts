import { fixFile, previewFixes } from '../../output/lint/fix/fixFile.ts';
import { renderEdits } from '../../output/lint/fix/renderEdits.ts';
import type { LintOptions } from '../../output/lint/lintFile.ts';
import type { DatasetFile } from '../../output/lint/read/findDatasetFiles.ts';
import type { LintProgress } from './lintProgress.ts';
import { print } from './print.ts';

/** Mends files, or shows what would be mended. */
export async function fixFiles(
  files: readonly DatasetFile[],
  options: Pick<LintOptions, 'profiles' | 'profile'>,
  dryRun: boolean,
  progress: LintProgress,
): Promise<void> {
  for (const file of files) {
    let mended = 0;
    let left = 0;
    for await (const row of dryRun ? previewFixes(file, options) : fixFile(file, options)) {
      progress.row(file, row);
      if (row.edits.length === 0) continue;
      if (row.left) left += 1;
      else mended += 1;
      if (dryRun) await print(renderEdits(file, row));
    }
    if (mended + left === 0) continue;
    progress.note(`${file.path}: rows ${dryRun ? 'to mend' : 'mended'}: ${mended}${leftNote(left)}`);
  }
}

function leftNote(left: number): string {
  return left === 0 ? '' : `; left as they are, for their layout is not rewritten: ${left}`;
}

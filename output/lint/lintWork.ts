import { moduleBeside } from '../../base/moduleBeside.ts';
import { ThreadedWork } from '../../base/threads/threadedWork.ts';
import type { OpenWork } from '../../base/threads/threadMessages.ts';
import type { PortableTokenizer } from '../tokenizers/fileTokenizer.ts';
import { createTextLinter } from './createTextLinter.ts';
import {
  type LintedTexts,
  type LintOptions,
  lintWeight,
  packRows,
  type RowsToLint,
  rowLinter,
} from './lintRows.ts';
import { loadMarkingTokenizer, openMaskMarker } from './mask/openMaskMarker.ts';

/** What a thread lints rows with. */
export interface LintWorkSettings extends Omit<LintOptions, 'linter'> {
  readonly tokenizer: PortableTokenizer;
}

/** See `OpenWork`. */
export const open: OpenWork<LintWorkSettings, RowsToLint, LintedTexts[]> = async ({
  tokenizer,
  ...profiles
}) => rowLinter({ ...profiles, linter: createTextLinter(await openMaskMarker(tokenizer)) });

/** Checks rows on all threads; to be closed. */
export async function openRowLinter(
  profiles: Omit<LintOptions, 'linter'>,
): Promise<ThreadedWork<LintWorkSettings, RowsToLint, LintedTexts[]>> {
  return new ThreadedWork({
    module: moduleBeside(import.meta.url, 'lintThread'),
    open,
    settings: { ...profiles, tokenizer: await loadMarkingTokenizer() },
    weigh: lintWeight,
    pack: packRows,
  });
}

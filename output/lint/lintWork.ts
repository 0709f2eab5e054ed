import { moduleBeside } from '../../base/moduleBeside.ts';
import { ThreadedWork } from '../../base/threads/threadedWork.ts';
import type { OpenWork } from '../../base/threads/threadMessages.ts';
import { BUNDLED_TOKENIZER } from '../../schemas/config/dataset.ts';
import { idDecoder } from '../tokenizers/decodeIds.ts';
import { type PortableTokenizer, portableTokenizer, restoreTokenizer } from '../tokenizers/fileTokenizer.ts';
import { loadTokenizer } from '../tokenizers/loadTokenizer.ts';
import { createTextLinter } from './createTextLinter.ts';
import {
  type LintedRow,
  type LintOptions,
  lintWeight,
  type ProfileOptions,
  packRows,
  type RowsToLint,
  rowLinter,
} from './lintRows.ts';

/** What a thread lints rows with. */
export interface LintWorkSettings extends ProfileOptions, Pick<LintOptions, 'digests'> {
  readonly tokenizer: PortableTokenizer;
}

/** See `OpenWork`. */
export const open: OpenWork<LintWorkSettings, RowsToLint, LintedRow[]> = async (settings) => {
  const tokenizer = restoreTokenizer(settings.tokenizer);
  const lintText = await createTextLinter(tokenizer);
  return rowLinter({ ...settings, lintText, decode: idDecoder(tokenizer) });
};

/** Checks rows on all threads; to be closed. */
export async function openRowLinter(
  options: Omit<LintWorkSettings, 'tokenizer'>,
): Promise<ThreadedWork<LintWorkSettings, RowsToLint, LintedRow[]>> {
  const tokenizer = portableTokenizer(await loadTokenizer(BUNDLED_TOKENIZER));
  if (tokenizer === undefined) throw new Error('the bundled tokenizer is not encoded by our own code');
  return new ThreadedWork({
    module: moduleBeside(import.meta.url, 'lintThread'),
    open,
    settings: { ...options, tokenizer },
    weigh: lintWeight,
    pack: packRows,
  });
}

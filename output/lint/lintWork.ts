import { moduleBeside } from '../../base/moduleBeside.ts';
import { once } from '../../base/once.ts';
import { ThreadedWork } from '../../base/threads/threadedWork.ts';
import type { OpenWork } from '../../base/threads/threadMessages.ts';
import { type DecodeIds, idDecoder } from '../tokenizers/decodeIds.ts';
import { type PortableTokenizer, restoreTokenizer } from '../tokenizers/fileTokenizer.ts';
import { createTextLinter } from './createTextLinter.ts';
import {
  type LintedRow,
  lintWeight,
  type ProfileOptions,
  packRows,
  type RowsToLint,
  rowLinter,
} from './lintRows.ts';
import { loadMarkingTokenizer, openMaskMarker } from './mask/openMaskMarker.ts';

/** What a thread lints rows with. */
export interface LintWorkSettings extends ProfileOptions {
  readonly tokenizer: PortableTokenizer;
}

/** See `OpenWork`. */
export const open: OpenWork<LintWorkSettings, RowsToLint, LintedRow[]> = async ({
  tokenizer,
  ...profiles
}) => {
  const linter = createTextLinter(await openMaskMarker(tokenizer));
  const decode: DecodeIds = (ids) => decoder()(ids);
  const decoder = once(() => idDecoder(restoreTokenizer(tokenizer)));
  return rowLinter({ ...profiles, linter, decode });
};

/** Checks rows on all threads; to be closed. */
export async function openRowLinter(
  profiles: ProfileOptions,
): Promise<ThreadedWork<LintWorkSettings, RowsToLint, LintedRow[]>> {
  return new ThreadedWork({
    module: moduleBeside(import.meta.url, 'lintThread'),
    open,
    settings: { ...profiles, tokenizer: await loadMarkingTokenizer() },
    weigh: lintWeight,
    pack: packRows,
  });
}

/** Work of `createDatasetWriter` that threads do: a trajectory becomes its row in every format. */
import type { OpenWork } from '../../base/threads/threadMessages.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { StageFailure } from '../../schemas/outcome.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { segmentWeights } from '../rows/segmentWeights.ts';
import { StraddlingTokens } from '../rows/tokeniseRow.ts';
import { type PortableTokenizer, restoreTokenizer } from '../tokenizers/fileTokenizer.ts';
import type { DatasetRow } from './datasetFormat.ts';
import { type DatasetSettings, type PreparedDataset, prepareDataset } from './prepareDataset.ts';
import { type RowSettings, renderRow } from './renderRow.ts';

/** What a thread makes the rows of a dataset with. */
export interface RowWorkSettings extends Omit<DatasetSettings, 'tokenizer'> {
  readonly tokenizer: PortableTokenizer;
}

/** What a row is made of. */
export interface RowItem {
  readonly trajectory: Trajectory;
  readonly profile: Profile;
}

/** What became of a trajectory, before anything is written. */
export type PreparedRow =
  | {
      readonly kind: 'row';
      readonly row: Omit<
        DatasetRow,
        'trajectory' | 'rendered' | 'profile' | 'pieces' | 'lossMask' | 'weights'
      >;
      /** For each format, the row as each of its parts has it. */
      readonly rows: readonly (readonly unknown[])[];
    }
  | { readonly kind: 'too_long'; readonly tokens: number }
  | { readonly kind: 'nothing_trained' }
  | {
      readonly kind: 'failed';
      readonly failure: StageFailure;
      /** Borders inside a token, for which the row was refused. */
      readonly straddles: number;
    };

/** See `OpenWork`. */
export const open: OpenWork<RowWorkSettings, RowItem, PreparedRow> = async (settings) => {
  const given = { ...settings, tokenizer: restoreTokenizer(settings.tokenizer) };
  return prepareRows(given, await prepareDataset(given));
};

/** The same with a tokenizer that can't leave its thread. */
export function prepareRows(
  { dataset, tokenizer }: DatasetSettings,
  { formats, template }: PreparedDataset,
): (item: RowItem) => Promise<PreparedRow> {
  const { mask, straddling, cutoff_len } = dataset;
  const cut = dataset.too_long === 'cut' && { cutoffLen: cutoff_len };
  const settings: RowSettings = { tokenizer, template, mask, straddling, ...cut };
  const prepare = async ({ trajectory, profile }: RowItem): Promise<PreparedRow> => {
    const row = await renderRow(trajectory, profile, settings);
    const tokens = row.inputIds.length;
    if (tokens > cutoff_len) return { kind: 'too_long', tokens };
    if (trainsNothing(row, mask)) return { kind: 'nothing_trained' };
    const rows = formats.map(({ layout }) => layout.parts.map((part) => part.rowOf(row)));
    const { inputIds, trainedTokens, straddles, disarmedTokens, repairedTexts } = row;
    const counted = { inputIds, trainedTokens, straddles, disarmedTokens, repairedTexts };
    return { kind: 'row', row: { ...counted, ...(row.cut && { cut: row.cut }) }, rows };
  };
  return (item) => prepare(item).catch(refusal);
}

/** Whether the mask leaves every segment out, so that no more than the end of the turn would be learnt. */
function trainsNothing({ trajectory, rendered, profile }: DatasetRow, mask: RowSettings['mask']): boolean {
  const kept = { segments: rendered.segments, quality: trajectory.quality };
  return segmentWeights(kept, profile, mask).every((weight) => weight === 0);
}

function refusal(error: unknown): PreparedRow {
  if (!(error instanceof RecordFailure)) throw error;
  const straddles = error instanceof StraddlingTokens ? error.straddles : 0;
  return { kind: 'failed', failure: error.failure, straddles };
}

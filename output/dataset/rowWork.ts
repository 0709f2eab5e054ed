/** Thread work of `createDatasetWriter`: converts a trajectory, or a pair, to its row in every format. */
import { moduleBeside } from '../../base/moduleBeside.ts';
import { ThreadedWork } from '../../base/threads/threadedWork.ts';
import type { OpenWork } from '../../base/threads/threadMessages.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { DatasetFormatName } from '../../schemas/config/datasetFormatNames.ts';
import type { StageFailure } from '../../schemas/outcome.ts';
import { type Trajectory, trajectoryLength } from '../../schemas/trajectory.ts';
import type { MixedSource } from '../mix/readMixedRow.ts';
import { renderMixedRow } from '../mix/renderMixedRow.ts';
import { segmentWeights } from '../rows/segmentWeights.ts';
import { TokensAcrossBorders } from '../rows/tokeniseRow.ts';
import { type PortableTokenizer, portableTokenizer, restoreTokenizer } from '../tokenizers/fileTokenizer.ts';
import type { DatasetRow } from './datasetFormat.ts';
import { chooseFormats } from './formatTable.ts';
import { type PlannedFormat, rowsOf } from './formatWriter.ts';
import { type DatasetSettings, type PreparedDataset, prepareDataset } from './prepareDataset.ts';
import { type RowSettings, renderRow } from './renderRow.ts';

type RowWorkSettings = Omit<DatasetSettings, 'tokenizer'> & { readonly tokenizer: PortableTokenizer };

export type RowItem = TrajectoryItem | MixedItem;

/** Row of `dataset.mix`. */
interface MixedItem {
  readonly mixed: MixedSource;
  /** Loss weight of its trained parts. */
  readonly weight: number;
}

export interface TrajectoryItem {
  readonly trajectory: Trajectory;
  readonly profile: Profile;
  /** Rejected side of a pair. */
  readonly rejected?: Trajectory;
}

/** Countable part of a row. */
type HeldRow = Omit<DatasetRow, 'trajectory' | 'rendered' | 'profile' | 'pieces' | 'lossMask' | 'weights'>;

export type PreparedRow =
  | {
      readonly kind: 'row';
      /** Rows of one trajectory, or of both sides of a pair. */
      readonly held: readonly [HeldRow, ...HeldRow[]];
      /** Row of each part, by format. */
      readonly rows: readonly (readonly unknown[])[];
    }
  | { readonly kind: 'too_long'; readonly tokens: number }
  | { readonly kind: 'nothing_trained' }
  /** `bordersInTokens`: borders inside a token, for which the row was rejected. */
  | { readonly kind: 'failed'; readonly failure: StageFailure; readonly bordersInTokens: number };

/** Makes rows concurrently. */
export type RowMaker = Pick<ThreadedWork<unknown, RowItem, PreparedRow>, 'run' | 'close'>;

/** Makes rows on threads; in this thread if the tokenizer cannot be copied. */
export function rowMaker(options: DatasetSettings, prepared: PreparedDataset): RowMaker {
  const { name, dataset, training } = options;
  const tokenizer = portableTokenizer(options.tokenizer);
  if (tokenizer === undefined) return { run: prepareRows(options, prepared), close: async () => {} };
  return new ThreadedWork({
    module: moduleBeside(import.meta.url, 'rowThread'),
    open,
    settings: { name, dataset: { ...dataset, formats: ofTrajectories(dataset) }, training, tokenizer },
    weigh: weightOf,
  });
}

function weightOf(item: RowItem): number {
  if ('mixed' in item)
    return item.mixed.record.messages.reduce((sum, { content }) => sum + content.length, 0);
  const { trajectory, rejected } = item;
  return trajectoryLength(trajectory) + (rejected ? trajectoryLength(rejected) : 0);
}

/** Only formats of trajectories: capability formats are not registered in threads, and hold tasks instead of rows. */
function ofTrajectories(dataset: DatasetSettings['dataset']): DatasetFormatName[] {
  const chosen = chooseFormats(dataset).filter(({ records }) => records !== 'task');
  return chosen.map(({ name }) => name as DatasetFormatName);
}

export const open: OpenWork<RowWorkSettings, RowItem, PreparedRow> = async (settings) => {
  const given = { ...settings, tokenizer: restoreTokenizer(settings.tokenizer) };
  return prepareRows(given, await prepareDataset(given));
};

function prepareRows(
  { dataset, tokenizer }: DatasetSettings,
  { formats, template }: PreparedDataset,
): (item: RowItem) => Promise<PreparedRow> {
  const { mask, boundary_tokens: boundaryTokens, cutoff_len } = dataset;
  const cut = dataset.too_long === 'cut' && { cutoffLen: cutoff_len };
  const ofRows: RowSettings = { tokenizer, template, mask, boundaryTokens, ...cut };
  // Sides of a pair are never cut. The pair itself tells which one is worse, so segments marked by verdicts stay in the
  // loss of both.
  const ofPairs: RowSettings = { tokenizer, template, mask: { ...mask, marked: 'train' }, boundaryTokens };
  const prepareMixed = async ({ mixed, weight }: MixedItem): Promise<PreparedRow> => {
    const row = await renderMixedRow(mixed, weight, { ...dataset, tokenizer, template });
    const { inputIds, trainedTokens, bordersInTokens } = row;
    if (inputIds.length > cutoff_len) return { kind: 'too_long', tokens: inputIds.length };
    const { repairedTexts } = mixed;
    const rows = [
      ...formats.mixed.map((format) => rowsOf(format, row)),
      // Formats with mixed rows only use fields of both kinds of rows.
      ...formats.trajectory
        .filter(carriesMixed)
        .map((format) => rowsOf(format, row as unknown as DatasetRow)),
    ];
    return {
      kind: 'row',
      held: [{ inputIds, trainedTokens, bordersInTokens, escapedTokens: 0, repairedTexts }],
      rows,
    };
  };
  const prepare = async (item: RowItem): Promise<PreparedRow> => {
    if ('mixed' in item) return prepareMixed(item);
    const { trajectory, profile, rejected } = item;
    const settings = rejected ? ofPairs : ofRows;
    const row = await renderRow(trajectory, profile, settings);
    const other = rejected && (await renderRow(rejected, profile, settings));
    const sides = other ? [row, other] : [row];
    const tokens = Math.max(...sides.map(({ inputIds }) => inputIds.length));
    if (tokens > cutoff_len) return { kind: 'too_long', tokens };
    if (sides.some((side) => trainsNothing(side, settings.mask))) return { kind: 'nothing_trained' };
    const rows = other
      ? formats.pair.map((format) => rowsOf(format, { chosen: row, rejected: other }))
      : formats.trajectory.map((format) => rowsOf(format, row));
    return { kind: 'row', held: [heldRow(row), ...sides.slice(1).map(heldRow)], rows };
  };
  return (item) => prepare(item).catch(refusal);
}

function heldRow({
  inputIds,
  trainedTokens,
  bordersInTokens,
  escapedTokens,
  repairedTexts,
  cut,
}: DatasetRow) {
  return { inputIds, trainedTokens, bordersInTokens, escapedTokens, repairedTexts, ...(cut && { cut }) };
}

export function carriesMixed({ format }: Pick<PlannedFormat<'trajectory'>, 'format'>): boolean {
  return format.capabilities.mixedRows;
}

/** True if the mask excludes every segment, so that only the end of the turn would be trained. */
function trainsNothing({ trajectory, rendered, profile }: DatasetRow, mask: RowSettings['mask']): boolean {
  const kept = { segments: rendered.segments, quality: trajectory.quality };
  return segmentWeights(kept, profile, mask).every((weight) => weight === 0);
}

function refusal(error: unknown): PreparedRow {
  if (!(error instanceof RecordFailure)) throw error;
  const bordersInTokens = error instanceof TokensAcrossBorders ? error.bordersInTokens : 0;
  return { kind: 'failed', failure: error.failure, bordersInTokens };
}

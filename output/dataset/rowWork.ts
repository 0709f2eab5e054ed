/** Work of `createDatasetWriter` that threads do: a trajectory, or a pair, becomes its row in every format. */
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

/** What a row is made of. */
export type RowItem = TrajectoryItem | MixedItem;

/** A row of `dataset.mix`. */
interface MixedItem {
  readonly mixed: MixedSource;
  /** Loss weight of what it trains. */
  readonly weight: number;
}

export interface TrajectoryItem {
  readonly trajectory: Trajectory;
  readonly profile: Profile;
  /** Of a pair: the trajectory that it is chosen over. */
  readonly rejected?: Trajectory;
}

/** What is counted of a row. */
type HeldRow = Omit<DatasetRow, 'trajectory' | 'rendered' | 'profile' | 'pieces' | 'lossMask' | 'weights'>;

/** What became of a trajectory, before anything is written. */
export type PreparedRow =
  | {
      readonly kind: 'row';
      /** What the row is made of: one trajectory, or both sides of a pair. */
      readonly held: readonly [HeldRow, ...HeldRow[]];
      /** For each format, the row as each of its parts has it. */
      readonly rows: readonly (readonly unknown[])[];
    }
  | { readonly kind: 'too_long'; readonly tokens: number }
  | { readonly kind: 'nothing_trained' }
  /** `bordersInTokens`: borders inside a token, for which the row was refused. */
  | { readonly kind: 'failed'; readonly failure: StageFailure; readonly bordersInTokens: number };

/** Makes rows, for several trajectories at once. */
export type RowMaker = Pick<ThreadedWork<unknown, RowItem, PreparedRow>, 'run' | 'close'>;

/** Makes rows on threads; in this thread with a tokenizer that can't be opened again there. */
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

/** Threads know no formats of capabilities, which are registered in the program's own: those hold tasks, of which no rows are made here. */
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
  // No side of a pair is cut. Which one is worse the pair says: what verdicts mark is in the loss of both.
  const ofPairs: RowSettings = { tokenizer, template, mask: { ...mask, marked: 'train' }, boundaryTokens };
  const prepareMixed = async ({ mixed, weight }: MixedItem): Promise<PreparedRow> => {
    const row = await renderMixedRow(mixed, weight, { ...dataset, tokenizer, template });
    const { inputIds, trainedTokens, bordersInTokens } = row;
    if (inputIds.length > cutoff_len) return { kind: 'too_long', tokens: inputIds.length };
    const { repairedTexts } = mixed;
    const rows = [
      ...formats.mixed.map((format) => rowsOf(format, row)),
      // Formats that carry mixed rows are written from what both kinds of rows have.
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

/** Whether a format holds the rows of `dataset.mix` too. */
export function carriesMixed({ format }: Pick<PlannedFormat<'trajectory'>, 'format'>): boolean {
  return format.capabilities.mixedRows;
}

/** Whether the mask leaves every segment out, so that no more than the end of the turn would be learnt. */
function trainsNothing({ trajectory, rendered, profile }: DatasetRow, mask: RowSettings['mask']): boolean {
  const kept = { segments: rendered.segments, quality: trajectory.quality };
  return segmentWeights(kept, profile, mask).every((weight) => weight === 0);
}

function refusal(error: unknown): PreparedRow {
  if (!(error instanceof RecordFailure)) throw error;
  const bordersInTokens = error instanceof TokensAcrossBorders ? error.bordersInTokens : 0;
  return { kind: 'failed', failure: error.failure, bordersInTokens };
}

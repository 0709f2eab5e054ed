import { type Data, Field, makeData, Null, Schema, Utf8 } from 'apache-arrow';
import { pairSides } from '../../../schemas/audit.ts';
import type { TokenisedRow } from '../../rows/tokeniseRow.ts';
import type { DatasetPair } from '../datasetFormat.ts';
import type { RowColumns } from './columnFiles.ts';
import { labelledColumns, stringColumn } from './listColumns.ts';

type LabelledSide = Pick<TokenisedRow, 'inputIds' | 'lossMask'>;

/** The ids and masks of a pair. */
export interface LabelledPair {
  readonly chosen: LabelledSide;
  readonly rejected: LabelledSide;
}

/** What of a pair stands in columns of ids and labels. */
export function labelledPair({ chosen, rejected }: DatasetPair): LabelledPair {
  const sideOf = ({ inputIds, lossMask }: LabelledSide) => ({ inputIds, lossMask });
  return { chosen: sideOf(chosen), rejected: sideOf(rejected) };
}

const sideFields = pairSides.flatMap((side) =>
  labelledColumns.schema.fields.map(({ name, type }) => Field.new({ name: `${side}_${name}`, type })),
);

function sideColumns(pairs: readonly LabelledPair[]): Data[] {
  return pairSides.flatMap((side) => labelledColumns.columnsOf(pairs.map((pair) => pair[side])));
}

const tokensOf = ({ chosen, rejected }: LabelledPair) => chosen.inputIds.length + rejected.inputIds.length;
const bytesOf = ({ chosen, rejected }: LabelledPair) =>
  labelledColumns.bytesOf(chosen) + labelledColumns.bytesOf(rejected);

const media = ['images', 'videos', 'audios'] as const;

/**
 * `chosen_input_ids`, `chosen_attention_mask`, `chosen_labels` and the same of `rejected`, as LLaMA-Factory's own
 * preprocessing leaves pairs; its collator also asks for three columns that are empty in rows of text.
 */
export const llamaFactoryPairColumns: RowColumns<LabelledPair> = {
  schema: new Schema([...sideFields, ...media.map((name) => Field.new({ name, type: new Null() }))]),
  columnsOf: (pairs) => [
    ...sideColumns(pairs),
    ...media.map(() => makeData({ type: new Null(), length: pairs.length })),
  ],
  tokensOf,
  bytesOf,
};

/** What a pair says in words: the beginning that both sides share, and how each goes on. */
export interface PairTexts {
  readonly prompt: string;
  readonly chosen: string;
  readonly rejected: string;
}

export interface WordedPair extends LabelledPair {
  readonly texts: PairTexts;
}

const words = ['prompt', 'chosen', 'rejected'] as const;

/** The columns of both sides behind `prompt`, `chosen` and `rejected`, in the layout of TRL's preference data. */
export const wordedPairColumns: RowColumns<WordedPair> = {
  schema: new Schema([...words.map((name) => Field.new({ name, type: new Utf8() })), ...sideFields]),
  columnsOf: (pairs) => [
    ...words.map((name) => stringColumn(pairs.map(({ texts }) => texts[name]))),
    ...sideColumns(pairs),
  ],
  tokensOf,
  bytesOf: (pair) =>
    bytesOf(pair) + words.reduce((bytes, name) => bytes + Buffer.byteLength(pair.texts[name]), 0),
};

/** The words of a pair: all up to the answers, and each answer with the end of its turn. */
export function pairTexts({ chosen, rejected }: DatasetPair): PairTexts {
  const textOf = (row: DatasetPair['chosen'], isPrompt: boolean) =>
    row.pieces
      .filter(({ origin }) => (origin === 'prompt') === isPrompt)
      .map(({ text }) => text)
      .join('');
  return {
    prompt: textOf(chosen, true),
    chosen: textOf(chosen, false),
    rejected: textOf(rejected, false),
  };
}

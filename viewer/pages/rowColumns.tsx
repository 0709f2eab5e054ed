import type { ComponentChildren } from 'preact';
import type { RowAnswer } from '../api.ts';
import { type FigureName, figureNames, figureTitles, type SortName } from '../index/fields.ts';
import { InertText } from './InertText.tsx';
import { useStored } from './useStored.ts';
import { count, dollars, words } from './words.ts';

export interface RecordColumn {
  readonly name: SortName;
  readonly title: string;
  readonly cell: (row: RowAnswer) => ComponentChildren;
  readonly isNumber?: boolean;
}

const texts: readonly RecordColumn[] = [
  { name: 'question', title: 'Question', cell: ({ question, key }) => <InertText text={question || key} /> },
  { name: 'answer', title: 'Answer', cell: ({ answer }) => <InertText text={answer} /> },
  { name: 'gold', title: 'Gold', cell: ({ gold }) => <InertText text={gold} /> },
  { name: 'verdict', title: 'Verdict', cell: ({ verdict }) => words(verdict) },
  { name: 'state', title: 'End', cell: endOf },
  { name: 'profile', title: 'Profile', cell: ({ profile }) => profile },
  { name: 'tool', title: 'Tools', cell: ({ tools }) => tools.join(', ') },
];

/** All columns; the first links to the record and is always shown. */
export const recordColumns: readonly RecordColumn[] = [
  ...texts,
  ...figureNames.map((name) => ({
    name,
    title: figureTitles[name],
    cell: ({ figures: { [name]: value } }: RowAnswer) => value !== undefined && figureText(name, value),
    isNumber: true,
  })),
];

function figureText(name: FigureName, value: number): string {
  if (name !== 'cost_usd') return count(value);
  // No price was configured.
  return value > 0 ? dollars(value) : '';
}

function endOf({ state, reason, stage }: RowAnswer) {
  const isOpen = state !== 'kept' && !reason;
  return (
    <>
      <span class={`dot ${state}`} aria-hidden="true" />
      {isOpen ? `${state} after ${stage}` : words(reason || state)}
    </>
  );
}

/** Visible columns, and changed widths in pixels. */
interface ColumnChoice {
  readonly shown: readonly string[];
  readonly widths: Readonly<Record<string, number>>;
}

const first: ColumnChoice = {
  shown: 'answer gold verdict state profile tokens model_calls cost_usd duration_s'.split(' '),
  widths: {},
};

/** Column choice stored in this browser. */
export const useColumns = () => useStored('coa-distill columns', first);

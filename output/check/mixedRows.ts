import type { MixedRow } from '../../schemas/mixedRow.ts';
import type { DatasetRow } from '../../schemas/rows/datasetRow.ts';
import { type AlignedRow, bareText } from './alignRows.ts';
import { type ChatTurn, chatTurns, controlPlaces } from './chatTurns.ts';
import type { ExpectedSpan } from './expectRow.ts';
import { maskFaults } from './maskFaults.ts';
import { type CheckedTokens, idFaults, spansOfTokens } from './rowFindings.ts';
import { type Fault, fault, type MaskSettings } from './rules.ts';
import { tokenRow } from './tokenRow.ts';
import type { TokenText } from './tokenText.ts';

/** Aligns rows of a format with their lines of `mixed.jsonl`. */
export async function* alignMixed<Row>(
  rows: AsyncIterable<Row>,
  records: AsyncIterator<MixedRow>,
  firstPlace: number,
): AsyncGenerator<AlignedRow<Row> & { readonly mixed: MixedRow | undefined }> {
  let place = firstPlace;
  for await (const row of rows) {
    const { value, done } = await records.next();
    const surplus = fault('row_differs', 'mixed.jsonl has no line for this row');
    yield {
      row,
      trajectory: undefined,
      place: done ? -1 : place++,
      fault: done ? surplus : undefined,
      mixed: done ? undefined : value,
    };
  }
  for (;;) {
    const { done } = await records.next();
    if (done) return;
    const missing = fault('missing_row', `the row of place ${place + 1} is missing`);
    yield { row: undefined, trajectory: undefined, place: place++, fault: missing, mixed: undefined };
  }
}

/** Compares a row's ids and mask with its line of `mixed.jsonl`. */
export async function checkMixedTokens(
  said: DatasetRow,
  record: MixedRow,
  settings: MaskSettings,
): Promise<CheckedTokens> {
  const { row, trained, whole, faults: ofRow, hasMask } = await tokenRow(said, settings.tokenText);
  if (whole === undefined) return { row, trained, faults: ofRow, spanOfToken: [], isOpen: false };
  const spans = spansOf(whole.text, record, whole, settings.tokenText);
  const faults: Fault[] = [...ofRow];
  if (settings.encodedApart) return { row, trained, faults, spanOfToken: [], isOpen: false };
  faults.push(...idFaults(said, row, whole, settings));
  const places = said.tokens ? whole : row;
  if (spans === undefined)
    faults.push(fault('row_differs', `its text is not that of ${record.id} in mixed.jsonl`));
  const spanOfToken = spans && faults.length === 0 ? spansOfTokens(places, spans) : [];
  if (spanOfToken.length > 0 && hasMask)
    faults.push(...maskFaults({ places, trained, spans: spans!, spanOfToken }, faults));
  const { cutoffLen } = settings;
  if (cutoffLen !== null && row.ids.length > cutoffLen)
    faults.push(
      fault('too_long', `the row has ${row.ids.length} tokens, the cutoff is ${cutoffLen}`, cutoffLen),
    );
  return { row: { ...places, ids: row.ids }, trained, faults, spanOfToken, isOpen: false };
}

type Stretch = Pick<ExpectedSpan, 'from' | 'to' | 'tag' | 'party' | 'loss'>;

/** Stretches of the row's text with their expected loss; undefined if the text differs. */
function spansOf(
  text: string,
  record: MixedRow,
  row: Parameters<typeof controlPlaces>[0],
  tokenText: TokenText,
): ExpectedSpan[] | undefined {
  const stretches =
    record.layout === 'tokens'
      ? givenStretches(text, record)
      : turnStretches(text, record, chatTurns(text, controlPlaces(row, tokenText.controls)));
  return stretches?.map((each) => ({ ...each, block: null, bodyEnd: 0 }));
}

/** Contiguous stretches of a row that was given as tokens. */
function givenStretches(text: string, { messages }: MixedRow): Stretch[] | undefined {
  let from = 0;
  const stretches = messages.map(({ content, trained }) => {
    const to = from + content.length;
    const stretch: Stretch = {
      ...{ from, to },
      ...(trained
        ? { tag: 'answer', party: 'model', loss: 'in' }
        : { tag: 'prompt', party: 'prompt', loss: 'out' }),
    };
    from = to;
    return stretch;
  });
  return messages.map(({ content }) => content).join('') === text ? stretches : undefined;
}

/** Model turns with their ends; everything else is prompt. */
function turnStretches(
  text: string,
  { messages }: MixedRow,
  turns: readonly ChatTurn[],
): Stretch[] | undefined {
  if (!holdsInOrder(text, messages)) return undefined;
  const answers = turns.filter(({ role }) => role === 'assistant');
  const said = messages.filter(({ role }) => role === 'assistant');
  // Unknown markup has no turns, so only the texts are compared.
  if (turns.length === 0) return [{ from: 0, to: text.length, tag: 'chat', party: 'either', loss: 'either' }];
  if (answers.length !== said.length) return undefined;
  const stretches: Stretch[] = [];
  let cursor = 0;
  const add = (to: number, of: Omit<Stretch, 'from' | 'to'>) => {
    if (to > cursor) stretches.push({ from: cursor, to, ...of });
    cursor = Math.max(cursor, to);
  };
  for (const [at, { from, to, closed, end }] of answers.entries()) {
    const { content, trained } = said[at]!;
    if (bareText(text.slice(from, to)).trim() !== bareText(content).trim()) return undefined;
    const loss = trained ? 'in' : 'out';
    add(from, { tag: 'prompt', party: 'prompt', loss: 'out' });
    add(to, { tag: 'answer', party: 'model', loss });
    add(closed, { tag: 'end_of_turn', party: 'end_of_turn', loss });
    add(end, { tag: 'end_of_turn', party: 'end_of_turn', loss });
  }
  add(text.length, { tag: 'prompt', party: 'prompt', loss: 'out' });
  return stretches;
}

function holdsInOrder(text: string, messages: MixedRow['messages']): boolean {
  let from = 0;
  return messages.every(({ content }) => {
    const words = content.trim();
    const at = text.indexOf(words, from);
    from = at + words.length;
    return at >= 0;
  });
}

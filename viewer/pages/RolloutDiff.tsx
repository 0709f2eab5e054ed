import { useState } from 'preact/hooks';
import type { RecordAnswer, RowAnswer } from '../api.ts';
import { type DiffPiece, diff } from './diff.ts';
import { InertText } from './InertText.tsx';
import { recordColumns } from './rowColumns.tsx';
import { type Column, Table } from './Table.tsx';
import { useAnswer } from './useAnswer.ts';
import { counted, words } from './words.ts';

/** Context lines around a difference. */
const AROUND = 1;

interface RolloutDiffProps {
  readonly record: RecordAnswer;
  readonly records: string;
}

export function RolloutDiff({ record, records }: RolloutDiffProps) {
  const { siblings } = record;
  const first = siblings.find(({ verdict }) => verdict !== record.verdict) ?? siblings[0];
  const [key, setKey] = useState(first?.key ?? '');
  const { data, error } = useAnswer<RecordAnswer>(`${records}/${encodeURIComponent(key)}`);
  const columns = recordColumns.filter(({ name }) => name !== 'question' && name !== 'gold');
  const other = siblings.find((sibling) => sibling.key === key);
  return (
    <>
      <label>
        Compared with{' '}
        <select value={key} onChange={({ currentTarget }) => setKey(currentTarget.value)}>
          {siblings.map((sibling) => (
            <option key={sibling.key} value={sibling.key}>
              {siblingName(sibling)}
            </option>
          ))}
        </select>
      </label>
      {other && (
        <Table
          label="Figures of both"
          columns={bothColumns}
          rows={columns.map(({ title, cell }) => [title, cell(record), cell(other)] as const)}
        />
      )}
      {error && <p class="error">{error}</p>}
      {data && <TextDiff from={record} to={data} />}
    </>
  );
}

const bothColumns: readonly Column<readonly [string, ...preact.ComponentChildren[]]>[] = [
  ['Figure', ([title]) => title],
  ['This', ([, own]) => own],
  ['Other', ([, , other]) => other],
];

/** `sample 2: wrong` */
export function siblingName({ figures, verdict, reason, state }: RowAnswer): string {
  return `sample ${figures.rollout}: ${words(verdict || reason || state)}`;
}

function linesOf({ trajectory }: Pick<RecordAnswer, 'trajectory'>): string[] {
  return trajectory?.segments.flatMap(({ text }) => text.split('\n')) ?? [];
}

function TextDiff({ from, to }: { readonly from: RecordAnswer; readonly to: RecordAnswer }) {
  const pieces = diff(linesOf(from), linesOf(to));
  if (pieces.every(({ kind }) => kind === 'same')) return <p class="empty">No differences.</p>;
  return (
    <div class="diff">
      {pieces.map((piece, at) => {
        const before = pieces[at - 1];
        // A replacement is shown word by word together with the replaced text.
        if (piece.kind === 'added' && before?.kind === 'removed') return null;
        const after = pieces[at + 1];
        return piece.kind === 'removed' && after?.kind === 'added' ? (
          <Words key={at} from={piece} to={after} />
        ) : (
          <Lines key={at} piece={piece} />
        );
      })}
    </div>
  );
}

function Lines({ piece: { kind, parts } }: { readonly piece: DiffPiece }) {
  if (kind !== 'same') return <Marked kind={kind} text={parts.join('\n')} />;
  const left = parts.length - 2 * AROUND;
  if (left <= 1) return <Marked kind="same" text={parts.join('\n')} />;
  return (
    <>
      <Marked kind="same" text={parts.slice(0, AROUND).join('\n')} />
      <p class="note">{counted(left, 'equal line')}</p>
      <Marked kind="same" text={parts.slice(-AROUND).join('\n')} />
    </>
  );
}

function Words({ from, to }: { readonly from: DiffPiece; readonly to: DiffPiece }) {
  const wordsOf = ({ parts }: DiffPiece) => parts.join('\n').split(/(\s+)/);
  return (
    <pre class="changed">
      {diff(wordsOf(from), wordsOf(to)).map(({ kind, parts }, at) => {
        const Tag = tags[kind];
        return (
          <Tag key={at}>
            <InertText text={parts.join('')} />
          </Tag>
        );
      })}
    </pre>
  );
}

const tags = { same: 'span', removed: 'del', added: 'ins' } as const;

function Marked({ kind, text }: { readonly kind: DiffPiece['kind']; readonly text: string }) {
  const Tag = tags[kind];
  return (
    <pre class={kind}>
      <Tag>
        <InertText text={text} />
      </Tag>
    </pre>
  );
}

import { useState } from 'preact/hooks';
import type { Manifest } from '../../schemas/manifest.ts';
import type { CardAnswer, PreviewAnswer } from '../api.ts';
import { InertText, OnDemand, Raw } from './InertText.tsx';
import { Rendered } from './Rendered.tsx';
import { Legend, Pieces } from './Segments.tsx';
import { type Column, Table } from './Table.tsx';
import { sourcePath, useAnswer } from './useAnswer.ts';
import { count, counted } from './words.ts';

type DatasetFile = Manifest['files'][number];

const fileColumns: readonly Column<DatasetFile>[] = [
  ['File', ({ path }) => path],
  ['Rows', ({ rows }) => rows !== null && count(rows), 'number'],
  ['Trained tokens', ({ trained_tokens: trained }) => trained !== null && count(trained), 'number'],
  ['Bytes', ({ bytes }) => count(bytes), 'number'],
  ['SHA-256', ({ sha256 }) => <code>{sha256}</code>],
];

/** Folder of a format; files outside of folders are the canonical records. */
function formatOf({ path }: DatasetFile): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : 'canonical records';
}

/** A dataset's files by format, the canonical records first. */
export function FileGroups({ files }: { readonly files: Manifest['files'] }) {
  const groups = [...Map.groupBy(files, formatOf)];
  return [...groups]
    .sort(([, [a]], [, [b]]) => Number(a!.path.includes('/')) - Number(b!.path.includes('/')))
    .map(([format, of], at) => (
      <details key={format} open={at === 0}>
        <summary>
          {format}: {counted(of.length, 'file')}, {count(of.reduce((sum, { bytes }) => sum + bytes, 0))} bytes
        </summary>
        <Table label={`Files of ${format}`} columns={fileColumns} rows={of} />
      </details>
    ));
}

interface RowPreviewProps {
  readonly name: string;
  readonly files: Manifest['files'];
}

/** Shows a chosen file row by row, as its trainer reads it. */
export function RowPreview({ name, files }: RowPreviewProps) {
  const [file, setFile] = useState('');
  const [row, setRow] = useState(1);
  const path = `${sourcePath(name)}/preview?${new URLSearchParams({ file, row: String(row) })}`;
  const answer = useAnswer<PreviewAnswer>(file === '' ? undefined : path);
  const { data, error } = answer.path === path ? answer : { data: undefined, error: undefined };
  const choose = (chosen: string) => {
    setFile(chosen);
    setRow(1);
  };
  return (
    <section>
      <h2>Rows as a trainer reads them</h2>
      <p class="toolbar">
        <label>
          File{' '}
          <select value={file} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            <option value="">choose a file</option>
            {files
              .filter(({ rows }) => rows !== null && rows > 0)
              .map((one) => (
                <option key={one.path} value={one.path}>
                  {one.path}
                </option>
              ))}
          </select>
        </label>
        <button type="button" disabled={!data || row <= 1} onClick={() => setRow(row - 1)}>
          Previous row
        </button>
        <button type="button" disabled={!data || row >= data.rows} onClick={() => setRow(row + 1)}>
          Next row
        </button>
      </p>
      {error && <p class="error">{error}</p>}
      {file !== '' && !data && !error && <p class="empty">Reading the row …</p>}
      {data && <PreviewedRow key={`${file} ${data.row}`} preview={data} />}
    </section>
  );
}

function PreviewedRow({ preview: { row, rows, sides, raw } }: { readonly preview: PreviewAnswer }) {
  return (
    <>
      <p role="status">
        Row {count(row)} of the first {count(rows)}
      </p>
      <Legend />
      {sides.map((side, at) => (
        <PreviewedSide key={at} side={side} />
      ))}
      <OnDemand summary="As it stands in the file" draw={() => <Raw label="Row as it stands" text={raw} />} />
    </>
  );
}

function PreviewedSide({ side }: { readonly side: PreviewAnswer['sides'][number] }) {
  const { name, problems, tokens, trained, pieces } = side;
  return (
    <>
      {name && <h3>{name}</h3>}
      {problems.map((problem) => (
        <p key={problem}>
          <InertText text={problem} />
        </p>
      ))}
      {tokens > 0 && (
        <p class="note">
          {counted(tokens, 'token')}, {count(trained)} of them in the loss
        </p>
      )}
      <Pieces pieces={pieces} />
    </>
  );
}

/** The dataset card: metadata as text, the rest rendered. */
export function Card({ name }: { readonly name: string }) {
  const { data } = useAnswer<CardAnswer>(`${sourcePath(name)}/card`);
  if (!data || data.text === '') return null;
  const [, metadata, text] = /^---\n(.*?)\n---\n(.*)$/s.exec(data.text) ?? [undefined, '', data.text];
  return (
    <details>
      <summary>Card</summary>
      <section aria-label="Card">
        <Rendered text={text!} />
        {metadata && <OnDemand summary="Metadata" draw={() => <Raw label="Metadata" text={metadata} />} />}
      </section>
    </details>
  );
}

import { readerTable } from '../readers/readerTable.ts';
import type { DatasetFormat, FormatSettings, TextFile, WrittenFormat } from './datasetFormat.ts';

/** What a README says that the format's row of the table doesn't. Markdown; `docs/formats.md` has the longer words. */
export interface FormatGuide {
  /** The files beside the rows. */
  readonly files: readonly TextFile[];
  /** What further files are that others write, by name. */
  readonly others?: Readonly<Record<string, string>>;
  /** How training is started: a command, or Markdown. */
  readonly start: string;
  /** What would break the mask, and other things to know. */
  readonly beware: readonly string[];
}

/** The files beside the rows of a format, `README.md` of its folder among them. */
export function withReadme(
  { name, card, readers }: Pick<DatasetFormat, 'name' | 'card' | 'readers'>,
  { tokenizer, dataset }: Pick<FormatSettings, 'tokenizer' | 'dataset'>,
  written: WrittenFormat,
  { files, others = {}, start, beware }: FormatGuide,
): TextFile[] {
  const inFolder = (path: string) => `\`${path.slice(name.length + 1)}\``;
  const versions = readers.map((reader) => `${reader} ${readerTable[reader].version}`).join(', ');
  const table = markdownTable(
    ['file', 'what it is'],
    [
      ...written.files.map(({ path, rows, split }) => [
        inFolder(path),
        `${rows} rows${split === 'validation' ? ' of the validation split' : ''}`,
      ]),
      ...files.flatMap(({ path, what }) => (what === undefined ? [] : [[inFolder(path), what]])),
      ...Object.entries(others).map(([file, what]) => [`\`${file}\``, what]),
    ],
  );
  const text = `# Rows for ${card.trainer}

${table}

## Who applies the mask

${card.mask}.

How this was verified: ${versions === '' ? '' : `with ${versions}, unpatched. `}\`docs/formats.md\` of coa-distill says who applies the mask, and which test shows it.

## Start

${start.includes('```') ? start : `\`\`\`bash\n${start}\n\`\`\``}

## Beware

- Ids and lengths are those of ${tokenizer}: train a model with this very tokenizer. No row is longer than ${dataset.cutoff_len} tokens.
${beware.map((line) => `- ${line}`).join('\n')}
`;
  return [...files, { path: `${name}/README.md`, text }];
}

/** A table of Markdown; cells are Markdown too. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

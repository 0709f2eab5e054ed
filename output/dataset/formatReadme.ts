import type { DatasetFormat, FormatGuide, FormatSettings, TextFile, WrittenFormat } from './datasetFormat.ts';
import { datasetReaders } from './datasetReaders.ts';

export function formatReadme(
  { name, card, readers }: DatasetFormat,
  { tokenizer, dataset }: FormatSettings,
  written: WrittenFormat,
  { files, others = {}, start, beware }: FormatGuide,
): TextFile {
  const inFolder = (path: string) => `\`${path.slice(name.length + 1)}\``;
  const versions = readers.map((reader) => `${reader} ${datasetReaders[reader].version}`).join(', ');
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
${beware.flatMap((line) => (line === false ? [] : [`- ${line}`])).join('\n')}
`;
  return { path: `${name}/README.md`, text };
}

/** Renders a Markdown table; cells are Markdown too. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

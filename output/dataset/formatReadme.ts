import type { FormatSettings, TextFile, WrittenFormat } from './datasetFormat.ts';

/** What the README of a format's folder tells, in Markdown; `docs/formats.md` has the longer words. */
interface FormatReadme {
  readonly title: string;
  /** What files of rows hold, by how their paths in the folder begin. */
  readonly rows: Readonly<Record<string, string>>;
  /** Name of another file in the folder -> what it is. */
  readonly files?: Readonly<Record<string, string>>;
  /** Who applies the mask, and by what. */
  readonly mask: string;
  /** Which trainer of which version was held against our mask, by which test of coa-distill. */
  readonly verified: string;
  /** How training is started. */
  readonly start: string;
  /** What would break the mask, and other things to know. */
  readonly beware: readonly string[];
}

/** `README.md` of a format's folder. */
export function formatReadme(
  folder: string,
  { title, rows, files = {}, mask, verified, start, beware }: FormatReadme,
  { tokenizer, dataset }: Pick<FormatSettings, 'tokenizer'> & { readonly dataset: { cutoff_len: number } },
  written: WrittenFormat,
): TextFile {
  const lines = [...rowsFiles(folder, rows, written), ...Object.entries(files)];
  const cautions = [
    `Ids and lengths are those of ${tokenizer}: train a model with this very tokenizer. No row is longer than ${dataset.cutoff_len} tokens, so nothing need be cut.`,
    ...beware,
  ];
  const text = `# ${title}

${markdownTable(
  ['file', 'what it is'],
  lines.map(([name, what]) => [`\`${name}\``, what]),
)}

## Who applies the mask

${mask}

How this was verified: ${verified}

## Start

${start}

## Beware

${cautions.map((line) => `- ${line}`).join('\n')}
`;
  return { path: `${folder}/README.md`, text };
}

/** Files of rows: the name inside the format's folder, what it is, and of how many rows. */
function rowsFiles(
  folder: string,
  holds: FormatReadme['rows'],
  { files }: WrittenFormat,
): [name: string, what: string][] {
  return files.map(({ path, split, rows }) => {
    const name = path.slice(folder.length + 1);
    const what = Object.entries(holds).find(([beginning]) => name.startsWith(beginning))?.[1];
    return [name, `${what}; ${rows} rows${split === 'validation' ? ' of the validation split' : ''}`];
  });
}

/** A command, or several, as Markdown. */
export function shellBlock(command: string): string {
  return `\`\`\`bash\n${command}\n\`\`\``;
}

/** A table of Markdown; cells are Markdown too. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

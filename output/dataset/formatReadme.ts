import type { RowsFile } from './datasetFormat.ts';

/** What the README of a format's folder tells. Texts are Markdown. */
interface FormatReadme {
  readonly title: string;
  /** Name in the folder -> what it is. */
  readonly files: Readonly<Record<string, string>>;
  /** Who applies the mask, and by what. */
  readonly mask: string;
  /** How that was verified: which trainer of which version, by which test of coa-distill. */
  readonly verified: string;
  /** How training is started. */
  readonly start: string;
  /** What would break the mask, and other things to know. */
  readonly beware: readonly string[];
}

/** `README.md` of a format's folder. */
export function renderFormatReadme({ title, files, mask, verified, start, beware }: FormatReadme): string {
  const rows = Object.entries(files).map(([name, what]) => `| \`${name}\` | ${what} |`);
  return `# ${title}

| file | what it is |
|---|---|
${rows.join('\n')}

## Who applies the mask

${mask}

How this was verified: ${verified}

## Start

${start}

## Beware

${beware.map((line) => `- ${line}`).join('\n')}
`;
}

/** Files of rows for a README's table: the name inside the format's folder -> what it is, and of how many rows. */
export function rowsFileList(files: readonly RowsFile[], what: string): Record<string, string> {
  return Object.fromEntries(
    files.map(({ path, split, rows }) => [
      path.slice(path.indexOf('/') + 1),
      `${what}; ${rows} rows${split === 'validation' ? ' of the validation split' : ''}`,
    ]),
  );
}

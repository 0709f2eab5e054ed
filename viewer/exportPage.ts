import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readEvaluation } from '../evaluation/evaluationFolder.ts';
import type { ReportData } from '../schemas/report.ts';
import type { RunFile } from '../schemas/run/runFile.ts';
import { describeRun, reportAnswer } from './server/describeRun.ts';
import { builtPages } from './server/pageFiles.ts';

/** Data of an exported page, read by `pages/useAnswer.ts`. */
export interface ExportedPage {
  readonly path: string;
  /** API path -> answer. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Address in the viewer -> file of another exported page. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/** Reads program and style. Throws `UserError` if the pages can't be built. */
export async function readPageAssets(): Promise<PageAssets> {
  const folder = await builtPages();
  const names = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as string[];
  const read = (ending: string) =>
    readFileSync(join(folder, names.find((name) => name.endsWith(ending))!), 'utf8').trim();
  return { script: read('.js'), style: read('.css') };
}

/** A run's overview as one file that needs no network. Throws as {@link readPageAssets} does. */
export async function runPage(folder: string, run: RunFile, report: ReportData): Promise<string> {
  const api = `/api/sources/${encodeURIComponent(run.name)}`;
  const progress = { isGrowing: false, share: 1, damaged: 0 };
  const { status, ...described } = await describeRun(run.name, folder, run);
  // Removes the folder's path, since the file may be shared.
  const answer = { ...described, status: status && { ...status, folder: '' }, progress, failures: [] };
  return onePage(await readPageAssets(), {
    path: `/runs/${encodeURIComponent(run.name)}`,
    answers: { [api]: answer, [`${api}/report`]: reportAnswer(report) },
  });
}

/** An evaluation with its first samples as one file that needs no network. Throws as {@link readPageAssets} does. */
export async function evaluationPage(folder: string): Promise<string> {
  const { samplesAnswer } = await import('./server/resultAnswers.ts');
  const evaluation = await readEvaluation(folder);
  const path = `/evaluations/${encodeURIComponent(basename(folder))}`;
  const answers: Record<string, unknown> = { [`/api${path}`]: evaluation };
  for (const { name } of evaluation.benchmarks)
    for (const result of ['wrong', 'unscored', 'right']) {
      const query = new URLSearchParams({ result, from: '0' });
      const asked = `/api${path}/${encodeURIComponent(name)}/samples?${query}`;
      answers[asked] = await samplesAnswer(folder, name, query);
    }
  return onePage(await readPageAssets(), { path, answers });
}

/** A self-contained page; its policy forbids loading anything. */
export function onePage({ script, style }: PageAssets, page: ExportedPage): string {
  // Only `</script` ends a script; in the program it can only occur inside a string.
  const safe = script.replaceAll('</script', '<\\/script');
  return pageText(page, style, `'${hashOf(safe)}'`, `<script type="module">${safe}</script>`);
}

/**
 * Page with its program in a separate file, for copies of many pages. A classic script, since browsers load no modules
 * from disk.
 */
export function pageOfMany(
  { style }: Pick<PageAssets, 'style'>,
  page: ExportedPage,
  program: string,
): string {
  return pageText(page, style, "'self' file:", `<script defer src="${program}"></script>`);
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function pageText(
  { path, answers, files = {} }: ExportedPage,
  style: string,
  scripts: string,
  script: string,
) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${scripts}; style-src '${hashOf(style)}'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'">
<meta name="color-scheme" content="light dark">
<title>coa-distill</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript; coa-distill status and why need none.</noscript>
<script type="application/json" id="exported">${scriptJson({ path, answers, files })}</script>
${script}
</body>
</html>
`;
}

/** JSON with `<` escaped, so that HTML parsers see no tag in it. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

import { spawn } from 'node:child_process';
import { join, relative } from 'node:path';
import { replaceFile } from '../base/files/atomicFile.ts';
import { printable } from '../base/printable.ts';
import { UserError } from '../base/userError.ts';
import { findRun } from '../pipeline/run/findRun.ts';
import { reviewAuthorSchema } from '../schemas/run/reviewLine.ts';
import { listRows } from '../viewer/exportCopy.ts';
import { startViewer } from '../viewer/startViewer.ts';
import { stopOnSignals, untilStopped } from './stopOnSignals.ts';

export interface ViewOptions {
  readonly port: number;
  readonly open?: true;
  readonly rows?: string;
  readonly export?: string | true;
  readonly tokens?: true;
  readonly json?: true;
  readonly review?: true;
  readonly author?: string;
}

/**
 * Serves the pages of runs and files until a signal arrives; `rows` lists the rows of a filter, `export` writes a copy.
 * Returns the exit code.
 */
export async function viewFromCommandLine(given: readonly string[], options: ViewOptions): Promise<number> {
  const { port, open, rows, json } = options;
  if (options.tokens && typeof options.export !== 'string')
    throw new UserError('--tokens needs --export FOLDER');
  if (options.export === true) return printOverview(onlyName(given, '--export'), json === true);
  if (options.export !== undefined) return printCopy(given, options.export, options);
  if (rows !== undefined) return printRows(given, rows, json === true);
  const viewer = await startViewer({ given, port, author: reviewerOf(options) });
  using stop = stopOnSignals();
  const print = (): void => {
    const address = viewer.address();
    console.log(
      json
        ? JSON.stringify({ address })
        : `${address}\nfor one browser; Enter prints another, Ctrl-C ends it`,
    );
  };
  const printAgain = (): void => {
    if (!json) print();
  };
  try {
    if (open) openInBrowser(viewer.address());
    print();
    if (process.stdin.isTTY) process.stdin.on('data', printAgain);
    return await untilStopped(stop.signal);
  } finally {
    process.stdin.off('data', printAgain);
    process.stdin.pause();
    await viewer.close();
  }
}

/** Author of reviews; undefined for read-only pages. */
function reviewerOf({ review, author }: ViewOptions): string | undefined {
  if (!review && author === undefined) return undefined;
  if (!review) throw new UserError('--author needs --review');
  if (author === undefined) throw new UserError('--review needs --author NAME, for instance --author ada');
  const parsed = reviewAuthorSchema.safeParse(author);
  if (parsed.success) return author;
  throw new UserError(`--author: expected ${parsed.error.issues[0]?.message}`);
}

async function printRows(given: readonly string[], filter: string, json: boolean): Promise<number> {
  for await (const row of listRows(onlyName(given, '--rows'), filter)) {
    const { key, state, reason, stage, question } = row;
    console.log(
      json ? JSON.stringify(row) : [key, state, reason || stage, question].map(printable).join('  '),
    );
  }
  return 0;
}

/** Writes the overview of a run as one self-contained file; with JSON, only prints its data. */
async function printOverview(name: string, json: boolean): Promise<number> {
  const { folder, run } = await findRun(name);
  // Loaded on demand, since it takes 20 MB that a server does not need.
  const { gatherReport } = await import('../operations/report/gatherReport.ts');
  const data = await gatherReport(folder, run);
  if (json) console.log(JSON.stringify(data));
  else {
    const { runPage } = await import('../viewer/exportPage.ts');
    const path = join(folder, 'report.html');
    await replaceFile(path, await runPage(folder, run, data));
    console.log(relative(process.cwd(), path));
  }
  return 0;
}

async function printCopy(
  given: readonly string[],
  folder: string,
  { rows: filter = '', json, tokens }: ViewOptions,
): Promise<number> {
  const { exportCopy } = await import('../viewer/exportCopy.ts');
  const records = await exportCopy({
    name: onlyName(given, '--export'),
    filter,
    folder,
    hasTokens: tokens === true,
  });
  const index = join(folder, 'index.html');
  console.log(
    json
      ? JSON.stringify({ index, records })
      : `${printable(index)}: ${records} ${records === 1 ? 'record' : 'records'}`,
  );
  return 0;
}

function onlyName([name, ...others]: readonly string[], option: string): string {
  if (name === undefined || others.length > 0) throw new UserError(`${option} needs exactly one run or file`);
  return name;
}

/** Opens a browser; without a desktop, the printed address is enough. */
function openInBrowser(address: string): void {
  const [program, ...before] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '']
        : ['xdg-open'];
  const child = spawn(program!, [...before, address], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

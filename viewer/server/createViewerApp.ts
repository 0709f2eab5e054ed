import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { ZodError } from 'zod';
import { packageVersion } from '../../base/packageVersion.ts';
import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { evaluationNames, readEvaluation } from '../../operations/evaluate/evaluationFolder.ts';
import { listedRuns } from '../../operations/report/listedRuns.ts';
import type { CountsAnswer, LiveMessage, SourcesAnswer, WindowAnswer } from '../api.ts';
import { addReviewRoutes } from '../review/reviewRoutes.ts';
import type { Guard } from './guard.ts';
import { rowAnswers } from './rowAnswer.ts';
import { parseRowFilter } from './rowFilter.ts';
import { samplesAnswer } from './samplesAnswer.ts';
import type { Source } from './source.ts';
import type { Sources } from './sources.ts';
import { storedProblem } from './storedProblem.ts';

/** Rows that one answer holds at most. */
const MAX_WINDOW = 500;
/** How often a page that watches is told what is new. */
const LOOK_MS = 1_000;
/** While a large index is made, each answer is made of all rows so far: pages that ask every second would hold it up. */
const LOOK_GROWING_MS = 3_000;
/** A first look at a large run is not waited for longer: the page shows what is there, and how far it is. */
const FIRST_LOOK_MS = 400;

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** What the server is made of. */
export interface ViewerAppOptions {
  readonly guard: Guard;
  readonly sources: Sources;
  /** The folder of the built pages. */
  readonly pages: string;
  /** Ends what streams. */
  readonly signal: AbortSignal;
  /** In whose name records are reviewed; absent: pages only show. */
  readonly author?: string | undefined;
}

/** The viewer as an application: pages, their files, and what they ask for. It only reads, but for reviews. */
export function createViewerApp({ guard, sources, pages, signal, author }: ViewerAppOptions): Hono {
  const app = new Hono();
  app.use(guard.middleware);
  app.onError((error, context) => {
    if (error instanceof UserError || error instanceof RecordFailure || error instanceof ZodError)
      return context.json({ error: storedProblem(error) }, 400);
    return context.json({ error: `a fault in coa-distill: ${error.message}` }, 500);
  });
  app.get('/api/sources', async (context) => {
    const answer: SourcesAnswer = {
      version: packageVersion(),
      folder: process.cwd(),
      opened: sources.opened,
      runs: await listedRuns(),
      evaluations: evaluationNames(),
    };
    return context.json(answer);
  });
  const of = '/api/sources/:name';
  app.get(of, async (context) => context.json(await (await sourceOf(context, sources)).describe()));
  app.get(`${of}/report`, async (context) => {
    const source = await sourceOf(context, sources);
    return context.json((await source.report?.()) ?? { error: 'only runs have a report' });
  });
  app.get(`${of}/counts`, async (context) =>
    context.json(await counts(await listSourceOf(context, sources), context)),
  );
  app.get(`${of}/window`, async (context) =>
    context.json(await window(await listSourceOf(context, sources), context)),
  );
  app.get(`${of}/records/:key`, async (context) => {
    const { source, row } = await recordOf(context, sources);
    return context.json(await source.record(row));
  });
  app.get(`${of}/records/:key/tokens`, async (context) => {
    const { source, row } = await recordOf(context, sources);
    return context.json(await source.tokens(row));
  });
  app.get(`${of}/records/:key/formats/:format`, async (context) => {
    const { source, row } = await recordOf(context, sources);
    return context.json({ text: await source.inFormat(row, context.req.param('format')) });
  });
  app.get(`${of}/what-if`, async (context) => {
    const whatIf = await (await sourceOf(context, sources)).whatIf();
    return context.json(whatIf.count(queryOf(context).getAll('set')));
  });
  app.get(`${of}/audit`, async (context) => {
    const { auditAnswer } = await import('./datasetAnswers.ts');
    return context.json(await auditAnswer(await sources.folderOf(context.req.param('name'), 'run')));
  });
  app.get(`${of}/card`, async (context) => {
    const { cardAnswer } = await import('./datasetAnswers.ts');
    return context.json(await cardAnswer(await sources.folderOf(context.req.param('name'), 'run')));
  });
  app.get(`${of}/jobs/:job`, async (context) => {
    const folder = await sources.folderOf(context.req.param('name'), 'run');
    const { jobAnswer } = await import('./jobAnswer.ts');
    return context.json(await jobAnswer(folder, context.req.param('job')));
  });
  app.get('/api/compare', async (context) => {
    // Both are awaited together: a refusal that nobody awaits ends the process.
    const [a, b] = await Promise.all(
      ['a', 'b'].map((name) => sources.folderOf(queryOf(context).get(name) ?? '', 'run')),
    );
    const { compareAnswer } = await import('./compareAnswer.ts');
    return context.json(await compareAnswer(a!, b!));
  });
  app.get('/api/evaluations/:name', async (context) =>
    context.json(await readEvaluation(await sources.folderOf(context.req.param('name'), 'evaluation'))),
  );
  app.get('/api/evaluations/:name/:benchmark/samples', async (context) => {
    const folder = await sources.folderOf(context.req.param('name'), 'evaluation');
    return context.json(await samplesAnswer(folder, context.req.param('benchmark'), queryOf(context)));
  });
  app.get(`${of}/live`, async (context) => live(context, sources, signal));
  addReviewRoutes(app, {
    author: author ?? null,
    sourceOf: (context) => sourceOf(context, sources),
    recordOf: (context) => recordOf(context, sources),
  });
  app.get('/api/*', (context) => context.json({ error: 'there is nothing here' }, 404));
  app.get('*', pageFiles(pages));
  return app;
}

/** The pages' files by their names, read once: no address leads to any other file. */
function pageFiles(folder: string) {
  const names = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as string[];
  const files = new Map(names.map((name) => [`/${name}`, readFileSync(join(folder, name))]));
  return (context: Context): Response => {
    const { path } = context.req;
    const file = files.get(path);
    if (!file && path.startsWith('/assets/')) return context.text('there is nothing here', 404);
    const content = file ?? files.get('/index.html')!;
    const isNamedByContent = file !== undefined && path.startsWith('/assets/');
    context.header('Cache-Control', isNamedByContent ? 'private, max-age=31536000, immutable' : 'no-store');
    context.header('Content-Type', mediaTypes[file ? extname(path) : '.html'] ?? 'application/octet-stream');
    return context.body(new Uint8Array(content));
  };
}

async function sourceOf(context: Context, sources: Sources): Promise<Source> {
  const source = await sources.open(context.req.param('name') ?? '');
  await Promise.race([source.live.grow(), delay(FIRST_LOOK_MS)]);
  return source;
}

/** The source of a list, which asks again while its index grows: it is answered from what is there. */
async function listSourceOf(context: Context, sources: Sources): Promise<Source> {
  const source = await sources.open(context.req.param('name') ?? '');
  return source.live.progress.isGrowing ? source : sourceOf(context, sources);
}

async function recordOf(context: Context, sources: Sources) {
  const source = await sourceOf(context, sources);
  const key = context.req.param('key') ?? '';
  const { index } = source.live;
  let row = index.rowOfKey(key);
  if (row === undefined) {
    // It may stand in what has not been read yet.
    await source.live.grow();
    row = index.rowOfKey(key);
  }
  if (row === undefined) throw new UserError(`no record "${key}" in ${source.name}`);
  return { source, row };
}

function queryOf(context: Context): URLSearchParams {
  return new URL(context.req.url).searchParams;
}

async function counts({ live }: Source, context: Context): Promise<CountsAnswer> {
  return live.query(parseRowFilter(queryOf(context)), ({ rows, facets, histograms }) => {
    const { progress, index } = live;
    return {
      progress,
      revision: index.revision,
      found: rows.length,
      all: index.columns.size,
      facets,
      histograms,
    };
  });
}

async function window({ live }: Source, context: Context): Promise<WindowAnswer> {
  const query = queryOf(context);
  const from = Math.max(0, Number(query.get('from') ?? 0) || 0);
  const count = Math.min(MAX_WINDOW, Math.max(0, Number(query.get('count') ?? 100) || 0));
  const { index } = live;
  return live.query(parseRowFilter(query), ({ rows }) => ({
    revision: index.revision,
    from,
    rows: rowAnswers(index, rows.subarray(from, from + count)),
  }));
}

/** Tells a page whenever something has changed. */
async function live(context: Context, sources: Sources, signal: AbortSignal): Promise<Response> {
  const source = await sources.open(context.req.param('name') ?? '');
  return streamSSE(context, async (stream) => {
    const leave = sources.follow(source);
    let last = '';
    while (!stream.aborted && !stream.closed && !signal.aborted) {
      const message = await liveMessage(source);
      const data = JSON.stringify(message);
      if (data !== last) await stream.writeSSE({ data });
      last = data;
      const nextMs = message.progress.isGrowing ? LOOK_GROWING_MS : LOOK_MS;
      await delay(nextMs, undefined, { signal }).catch(() => {});
    }
    leave();
  });
}

async function liveMessage(source: Source): Promise<LiveMessage> {
  void source.live.grow().catch(() => {});
  // A folder that goes away while it is looked at is nobody's.
  const running = await source.isRunning().catch(() => false);
  const workers = running ? await source.workers?.().catch(() => undefined) : undefined;
  const { index, progress } = source.live;
  return { revision: index.revision, progress, running, ...(workers && { workers }) };
}

import { setTimeout as delay } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { ZodError, z } from 'zod';
import { packageVersion } from '../../base/packageVersion.ts';
import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { readEvaluation } from '../../evaluation/evaluationFolder.ts';
import { listedRuns } from '../../operations/report/listedRuns.ts';
import { addReviewRoutes } from '../review/reviewRoutes.ts';
import { storedProblem } from './describeRun.ts';
import type { Guard } from './guard.ts';
import { parseRowFilter, rowAnswers } from './listedRows.ts';
import { jsonAnswer, pageFiles } from './pageFiles.ts';
import { RunSource } from './runSource.ts';
import { listedEvaluations, type Source, type Sources } from './sources.ts';

/** Rows that one answer holds at most. */
const MAX_WINDOW = 500;
/** How often a page that watches is told what is new. */
const LOOK_MS = 1_000;
/** While a large index is made, each answer is made of all rows so far: pages that ask every second would hold it up. */
const LOOK_GROWING_MS = 3_000;
/** A first look at a large run is not waited for longer: the page shows what is there, and how far it is. */
const FIRST_LOOK_MS = 400;

/** What the server is made of. */
interface ViewerAppOptions {
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
  for (const [path, answer] of Object.entries(answersOf(sources)))
    app.get(`/api/${path}`, async (context) => jsonAnswer(context, await answer(context)));
  app.get('/api/sources/:name/live', async (context) => live(context, sources, signal));
  addReviewRoutes(app, {
    author: author ?? null,
    sourceOf: (context) => sourceOf(context, sources),
    recordOf: (context) => recordOf(context, sources),
  });
  app.get('/api/*', (context) => context.json({ error: 'there is nothing here' }, 404));
  app.get('*', pageFiles(pages));
  return app;
}

/** What pages ask for, as `api.ts` says it. What needs much that most pages don't is loaded when it is asked for. */
function answersOf(sources: Sources): Readonly<Record<string, (context: Context) => Promise<object>>> {
  const open = async (context: Context) => {
    await sourceOf(context, sources);
    return sources.openRun(context.req.param('name')!);
  };
  const ofRecord =
    (answer: (of: { source: Source; row: number }, format: string) => Promise<object>) =>
    async (context: Context) =>
      answer(await recordOf(context, sources), context.req.param('format') ?? '');
  const list = (context: Context) => listSourceOf(context, sources);
  const run = (context: Context) => sources.folderOf(context.req.param('name')!, 'run');
  const evaluation = (context: Context) => sources.folderOf(context.req.param('name')!, 'evaluation');
  return {
    sources: () => sourcesAnswer(sources),
    'sources/:name': async (context) => (await open(context)).describe(),
    'sources/:name/report': async (context) => (await open(context)).report(),
    'sources/:name/counts': async (context) => countsAnswer(await list(context), context),
    'sources/:name/window': async (context) => windowAnswer(await list(context), context),
    'sources/:name/records/:key': ofRecord(({ source, row }) => source.record(row)),
    'sources/:name/records/:key/tokens': ofRecord(({ source, row }) => source.tokens(row)),
    'sources/:name/records/:key/formats/:format': ofRecord(async ({ source, row }, format) => ({
      text: await source.inFormat(row, format),
    })),
    'sources/:name/audit': async (context) =>
      (await import('./resultAnswers.ts')).auditAnswer(await run(context)),
    'sources/:name/preview': async (context) =>
      (await import('./previewAnswer.ts')).previewAnswer(await run(context), queryOf(context)),
    'sources/:name/card': async (context) =>
      (await import('./resultAnswers.ts')).cardAnswer(await run(context)),
    'sources/:name/jobs/:job': async (context) =>
      (await import('./jobAnswer.ts')).jobAnswer(await open(context), context.req.param('job')!),
    'sources/:name/jobs/:job/rollouts/:step': async (context) =>
      (await import('./jobAnswer.ts')).rolloutsAnswer(
        await open(context),
        context.req.param('job')!,
        Number(context.req.param('step')),
      ),
    jobs: async () => (await import('./jobAnswer.ts')).jobsAnswer(),
    compare: async (context) => {
      // Both are awaited together: a refusal that nobody awaits ends the process.
      const [a, b] = await Promise.all(
        ['a', 'b'].map((name) => sources.openRun(queryOf(context).get(name) ?? '')),
      );
      return (await import('./resultAnswers.ts')).compareAnswer(a!, b!);
    },
    'compare-evaluations': async (context) => {
      const query = queryOf(context);
      const names = [query.get('a') ?? '', ...query.getAll('b')];
      const folders = await Promise.all(names.map((name) => sources.folderOf(name, 'evaluation')));
      return (await import('./resultAnswers.ts')).compareEvaluationsAnswer(folders);
    },
    'evaluations/:name': async (context) => readEvaluation(await evaluation(context)),
    'evaluations/:name/:benchmark/samples': async (context) =>
      (await import('./resultAnswers.ts')).samplesAnswer(
        await evaluation(context),
        context.req.param('benchmark')!,
        queryOf(context),
      ),
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

/** What there is to open. */
export async function sourcesAnswer({ opened }: Pick<Sources, 'opened'>) {
  return {
    version: packageVersion(),
    /** The folder below which runs are listed. */
    folder: process.cwd(),
    opened,
    runs: await listedRuns(),
    evaluations: await listedEvaluations(),
  };
}

/** How many rows a filter finds, and of which kinds. */
export async function countsAnswer({ live }: Source, context: Context) {
  const { rows, facets, histograms } = live.query(parseRowFilter(queryOf(context)));
  const { progress, index } = live;
  return {
    progress,
    revision: index.revision,
    found: rows.length,
    all: index.columns.size,
    facets,
    histograms,
  };
}

const windowSchema = z.object({
  from: z.coerce.number().nonnegative().catch(0),
  count: z.coerce.number().min(0).max(MAX_WINDOW).catch(100),
});

/** Some of the rows that a filter finds. */
export async function windowAnswer({ live }: Source, context: Context) {
  const query = queryOf(context);
  const { from, count } = windowSchema.parse(Object.fromEntries(query));
  const { index } = live;
  const rows = live.query(parseRowFilter(query)).rows.subarray(from, from + count);
  return { revision: index.revision, from, rows: rowAnswers(index, rows) };
}

/** Tells a page whenever something has changed. */
async function live(context: Context, sources: Sources, signal: AbortSignal): Promise<Response> {
  const source = await sources.open(context.req.param('name') ?? '');
  return streamSSE(context, async (stream) => {
    let last = '';
    while (!stream.aborted && !stream.closed && !signal.aborted) {
      const message = await liveMessage(source);
      const data = JSON.stringify(message);
      if (data !== last) await stream.writeSSE({ data });
      last = data;
      const nextMs = message.progress.isGrowing ? LOOK_GROWING_MS : LOOK_MS;
      await delay(nextMs, undefined, { signal }).catch(() => {});
    }
  });
}

/** What a page that watches is told. */
export async function liveMessage(source: Source) {
  void source.live.grow().catch(() => {});
  // A folder that goes away while it is looked at is nobody's.
  const run = source instanceof RunSource ? source : undefined;
  const running = (await run?.isRunning().catch(() => false)) ?? false;
  const workers = running ? await run?.workers().catch(() => undefined) : undefined;
  const { index, progress } = source.live;
  return { revision: index.revision, progress, running, ...(workers && { workers }) };
}

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

const MAX_WINDOW = 500;
const LOOK_MS = 1_000;
/** Interval while an index is built, since each answer reads all rows and slows the build. */
const LOOK_GROWING_MS = 3_000;
/** Maximum wait for a first look; then the page shows what is indexed so far. */
const FIRST_LOOK_MS = 400;

interface ViewerAppOptions {
  readonly guard: Guard;
  readonly sources: Sources;
  readonly pages: string;
  readonly signal: AbortSignal;
  /** Author of reviews; absent: read-only. */
  readonly author?: string | undefined;
}

/** Creates the viewer's application. It writes nothing but reviews. */
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
  app.get('/api/*', (context) => context.json({ error: 'not found' }, 404));
  app.get('*', pageFiles(pages));
  return app;
}

/** Path -> answer, as typed in `api.ts`. Heavy modules are loaded on demand. */
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
    'sources/:name/check': async (context) =>
      (await import('./resultAnswers.ts')).checkAnswer(await run(context)),
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
      // Awaited together, since an unhandled rejection would end the process.
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

/** Source of a list. Answers immediately while its index grows, since the page polls. */
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
    // The record may be in the unread part.
    await source.live.grow();
    row = index.rowOfKey(key);
  }
  if (row === undefined) throw new UserError(`no record "${key}" in ${source.name}`);
  return { source, row };
}

function queryOf(context: Context): URLSearchParams {
  return new URL(context.req.url).searchParams;
}

export async function sourcesAnswer({ opened }: Pick<Sources, 'opened'>) {
  return {
    version: packageVersion(),
    folder: process.cwd(),
    opened,
    runs: await listedRuns(),
    evaluations: await listedEvaluations(),
  };
}

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

export async function windowAnswer({ live }: Source, context: Context) {
  const query = queryOf(context);
  const { from, count } = windowSchema.parse(Object.fromEntries(query));
  const { index } = live;
  const rows = live.query(parseRowFilter(query)).rows.subarray(from, from + count);
  return { revision: index.revision, from, rows: rowAnswers(index, rows) };
}

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

export async function liveMessage(source: Source) {
  void source.live.grow().catch(() => {});
  // Ignores a folder that was removed in the meantime.
  const run = source instanceof RunSource ? source : undefined;
  const running = (await run?.isRunning().catch(() => false)) ?? false;
  const workers = running ? await run?.workers().catch(() => undefined) : undefined;
  const { index, progress } = source.live;
  return { revision: index.revision, progress, running, ...(workers && { workers }) };
}

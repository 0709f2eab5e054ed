import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import { decontaminateConfigSchema } from '../../../schemas/config/decontaminate.ts';
import { contaminationSchema } from '../../../schemas/contamination.ts';
import { createDecontaminateStage } from '../../../stages/decontaminate/createDecontaminateStage.ts';
import { runCorpusStage } from '../../support/runStage.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { taskOf } from '../../support/traceFixture.ts';

function stageAgainst(...questions: readonly string[]) {
  const file = path.join(temporaryFolder(), 'bench.jsonl');
  writeFileSync(
    file,
    questions.map((question) => `${JSON.stringify({ question, answer: 'Tolkien' })}\n`).join(''),
  );
  const config = decontaminateConfigSchema.parse({ benchmarks: [{ path: file, preset: 'nq' }] });
  return createDecontaminateStage(config);
}

const tasks = ['Who wrote The Hobbit?', 'Who wrote Dune?', 'Tolkien', 'Say: who wrote THE HOBBIT? Now.'].map(
  (question) => taskOf('mhqa', { question }),
);

test('tasks from a benchmark are dropped with the row, the others go on as they are', async () => {
  const outcomes = await runCorpusStage(stageAgainst('Where is it?', 'who wrote the hobbit'), tasks);
  expect(outcomes.map(({ index, recordId, taskId }) => [index, recordId, taskId])).toEqual(
    tasks.map(({ id }, index) => [index, id, id]),
  );
  const drop = {
    kind: 'drop',
    reason: 'contaminated',
    evidence: {
      ...{
        benchmark: 'bench',
        benchmark_file: 'bench.jsonl',
        benchmark_row: 2,
        kind: 'exact',
        n: 4,
        share: 1,
      },
      shared_text: 'who wrote the hobbit',
    },
  };
  const kept = (at: number) => ({ kind: 'emit', records: [tasks[at]] });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual([drop, kept(1), kept(2), drop]);
  for (const { outcome } of outcomes)
    if (outcome.kind === 'drop')
      expect(contaminationSchema.parse(outcome.evidence)).toEqual(outcome.evidence);
});

test('without benchmarks everything goes on', async () => {
  const stage = createDecontaminateStage(decontaminateConfigSchema.parse({}));
  const outcomes = await runCorpusStage(stage, tasks);
  expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(['emit', 'emit', 'emit', 'emit']);
});

test('nothing is left in the temporary folder, whatever happens', async () => {
  const stage = stageAgainst('Who?');
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(tmpdir()).toBe(folder);
  await runCorpusStage(stage, tasks);
  const config = decontaminateConfigSchema.parse({ benchmarks: [{ path: '/no/such/file' }] });
  await expect(runCorpusStage(createDecontaminateStage(config), tasks)).rejects.toThrow(UserError);
  const stopped = new AbortController();
  stopped.abort(new Error('stopped'));
  await expect(runCorpusStage(stage, tasks, stopped.signal)).rejects.toThrow('stopped');
  expect(readdirSync(folder)).toEqual([]);
});

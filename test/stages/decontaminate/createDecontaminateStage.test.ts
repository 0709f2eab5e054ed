import { expect, test } from 'vitest';
import { decontaminateConfigSchema } from '../../../schemas/config/decontaminate.ts';
import { contaminationSchema } from '../../../schemas/contamination.ts';
import { createDecontaminateStage } from '../../../stages/dedup/createDecontaminateStage.ts';
import { jsonLines } from '../../cli/support/project.ts';
import { runCorpusStage } from '../../support/runStage.ts';
import { temporaryFile } from '../../support/temporaryFolder.ts';
import { taskOf } from '../../support/traceFixture.ts';

function stageAgainst(...questions: readonly string[]) {
  const rows = questions.map((question) => ({ question, answer: 'Tolkien' }));
  const file = temporaryFile('bench.jsonl', jsonLines(rows));
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
      ...{ benchmark: 'bench', benchmark_file: 'bench.jsonl', benchmark_row: 2 },
      shared_text: 'who wrote the hobbit',
    },
  };
  const kept = (at: number) => ({ kind: 'emit', records: [tasks[at]] });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual([drop, kept(1), kept(2), drop]);
  for (const { outcome } of outcomes)
    if (outcome.kind === 'drop')
      expect(contaminationSchema.parse(outcome.evidence)).toEqual(outcome.evidence);
});

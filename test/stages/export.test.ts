import { beforeEach, expect, test } from 'vitest';
import type { DatasetWriter, WriteOutcome } from '../../contract/datasetWriter.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { createExportStage } from '../../stages/createExportStage.ts';
import { useThreads } from '../base/threads/support/useThreads.ts';
import { runCorpusStage } from '../support/runStage.ts';
import { mhqaSteps, taskOf, trajectoryFrom } from '../support/traceFixture.ts';

const trajectories = ['one', 'two', 'three'].map((question) =>
  trajectoryFrom(taskOf('mhqa', { question }), mhqaSteps(['who'])),
);

// One row after another: what was begun ahead differs from machine to machine.
beforeEach(() => useThreads(1));

/** Writes nothing, and remembers what it was told. */
class RecordingWriter implements DatasetWriter {
  readonly takesTasks = false;
  async writeTask(): Promise<void> {}
  readonly takesPairs = false;
  readonly mixes = false;
  async mix(): Promise<void> {}
  readonly log: string[] = [];
  readonly #answer: (trajectory: Trajectory, row: number) => WriteOutcome;
  #rows = 0;

  constructor(answer: (trajectory: Trajectory, row: number) => WriteOutcome) {
    this.#answer = answer;
  }

  async write(trajectory: Trajectory): Promise<WriteOutcome> {
    this.log.push(trajectory.question);
    const outcome = this.#answer(trajectory, this.#rows);
    if (outcome.kind === 'written') this.#rows += 1;
    return outcome;
  }

  async writePair(): Promise<void> {}

  async finish(): Promise<Manifest> {
    this.log.push('finish');
    return {} as Manifest;
  }

  async abort(): Promise<void> {
    this.log.push('abort');
  }
}

const written = ({ id, task_id }: Trajectory, row: number): WriteOutcome => ({
  kind: 'written',
  sample: { id, task_id, split: 'train', row, tokens: 10, trained_tokens: 5 },
});

const stageOf = (writer: DatasetWriter) => createExportStage({ openWriter: async () => writer });

test('rows are written in order, too long ones dropped, and the dataset finished at the end', async () => {
  const writer = new RecordingWriter((trajectory, row) =>
    trajectory.question === 'two' ? { kind: 'too_long', tokens: 9, cutoff_len: 8 } : written(trajectory, row),
  );
  const outcomes = await runCorpusStage(stageOf(writer), trajectories);
  expect(writer.log).toEqual(['one', 'two', 'three', 'finish']);
  expect(outcomes.map(({ index, outcome }) => [index, outcome.kind])).toEqual([
    [0, 'emit'],
    [1, 'drop'],
    [2, 'emit'],
  ]);
  expect(outcomes[1]?.outcome).toEqual({
    kind: 'drop',
    reason: 'too_long',
    evidence: { tokens: 9, cutoff_len: 8 },
  });
  expect(outcomes[2]).toMatchObject({
    recordId: trajectories[2]!.id,
    taskId: trajectories[2]!.task_id,
    outcome: { records: [{ row: 1 }] },
  });
});

test('a row that was cut shows it, and one without trained segments is dropped for that', async () => {
  const writer = new RecordingWriter((trajectory, row) => {
    if (trajectory.question === 'two') return { kind: 'nothing_trained' };
    const outcome = written(trajectory, row);
    if (outcome.kind !== 'written' || trajectory.question === 'one') return outcome;
    return { kind: 'written', sample: { ...outcome.sample, cut: { segments: 3, tokens: 70 } } };
  });
  const outcomes = (await runCorpusStage(stageOf(writer), trajectories)).map(({ outcome }) => outcome);
  expect(outcomes).toEqual([
    { kind: 'emit', records: [expect.not.objectContaining({ cut: expect.anything() })] },
    { kind: 'drop', reason: 'nothing_trained', evidence: { segments: 7, model_segments: 6 } },
    { kind: 'emit', records: [expect.objectContaining({ row: 1, cut: { segments: 3, tokens: 70 } })] },
  ]);
});

test('a row that can not be tokenised exactly fails, the others are written', async () => {
  const writer = new RecordingWriter((trajectory, row) => {
    if (trajectory.question === 'one') throw new RecordFailure('inexpressible', 'a token across a border');
    return written(trajectory, row);
  });
  const outcomes = await runCorpusStage(stageOf(writer), trajectories);
  expect(outcomes[0]?.outcome).toMatchObject({ kind: 'fail', failure: { cause: 'inexpressible' } });
  expect(writer.log.at(-1)).toBe('finish');
});

test('a full disk takes the dataset back and is not swallowed', async () => {
  const writer = new RecordingWriter(() => {
    throw new Error('ENOSPC');
  });
  await expect(runCorpusStage(stageOf(writer), trajectories)).rejects.toThrow('ENOSPC');
  expect(writer.log).toEqual(['one', 'abort']);
});

test.each([
  ['two', ['one', 'two', 'abort']],
  ['three', ['one', 'two', 'three', 'abort']],
])('a run that is aborted at row %s takes the dataset back', async (last, log) => {
  const stop = new AbortController();
  const writer = new RecordingWriter((trajectory, row) => {
    if (trajectory.question === last) stop.abort(new Error('stopped'));
    return written(trajectory, row);
  });
  await expect(runCorpusStage(stageOf(writer), trajectories, stop.signal)).rejects.toThrow('stopped');
  expect(writer.log).toEqual(log);
});

test('a reader that stops early takes the dataset back', async () => {
  const writer = new RecordingWriter(written);
  const rows = (async function* () {
    yield* trajectories;
  })();
  for await (const _ of stageOf(writer).run(rows, { signal: new AbortController().signal })) break;
  expect(writer.log).toEqual(['one', 'abort']);
});

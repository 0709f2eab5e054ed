import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readFunnel } from '../../operations/report/funnel.ts';
import type { ReviewLine } from '../../schemas/run/reviewLine.ts';
import { appendReview } from '../../stages/review/reviewFile.ts';
import { createFileFeed } from '../../viewer/index/fileFeed.ts';
import { LiveIndex } from '../../viewer/index/liveIndex.ts';
import { NONE } from '../../viewer/index/queryRows.ts';
import { createRunFeed } from '../../viewer/index/runFeed.ts';
import { parseRowFilter, rowAnswers } from '../../viewer/server/listedRows.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { everything, keys, openIndex } from './support/liveRun.ts';
import { newRun, taskOf, trajectoryOf, type WrittenRun } from './support/writtenRun.ts';

/** How each row has ended by now. */
async function ends(live: LiveIndex): Promise<Record<string, string>> {
  await live.grow();
  const { columns } = live.index;
  const found = live.index.rowsAt(live.query(everything).rows);
  return Object.fromEntries(
    found.map(({ row, key }) => {
      const of = (name: 'state' | 'stage' | 'reason') => columns.wordsOf(row, name)[0] ?? '';
      return [key, `${of('state')} ${of('stage')} ${of('reason')}`.trim()];
    }),
  );
}

/** Four tasks: one that becomes a row, one that is dropped, one that fails, and one that stands twice. */
function writeFour(run: WrittenRun): void {
  for (const id of ['a', 'b', 'c', 'd', 'd']) run.emit('tasks', id, [taskOf(id, `question of ${id}`)]);
  run.end('dedup', {
    task_id: 'd',
    record_id: 'd',
    kind: 'drop',
    reason: 'duplicate_question',
    evidence: {},
  });
  for (const id of ['a', 'b', 'c', 'd']) run.emit('dedup', id, [taskOf(id, `question of ${id}`)]);
  const failure = { cause: 'endpoint_timeout', message: 'late', retryable: true, evidence: {} };
  run.end('rollout', { task_id: 'c', kind: 'fail', failure });
  for (const [id, judgement] of [
    ['a', 'correct'],
    ['b', 'incorrect'],
  ] as const) {
    run.emit('convert', id, [trajectoryOf(id, `looked for ${id} zebra`)]);
    run.emit('judge', id, [trajectoryOf(id, 'not read again', judgement)]);
  }
  run.end('filter', { task_id: 'b', kind: 'drop', reason: 'wrong_answer', evidence: {} });
  run.emit('filter', 'a', [trajectoryOf('a', '', 'correct')]);
  run.emit('export', 'a', [
    { id: 'x', task_id: 'a', split: 'train', row: 0, tokens: 120, trained_tokens: 40 },
  ]);
}

test('each record is a row with its end, equal tasks each of them', async () => {
  const run = newRun();
  writeFour(run);
  const live = await openIndex(run);
  expect(await ends(live)).toEqual({
    a: 'kept export',
    b: 'dropped filter wrong_answer',
    c: 'failed rollout endpoint_timeout',
    d: 'pending dedup',
    'd~1': 'dropped dedup duplicate_question',
  });
});

test('texts are searched: all words, as beginnings, in parts, phrases, and not', async () => {
  const run = newRun();
  writeFour(run);
  const live = await openIndex(run);
  expect(await keys(live, { search: 'ZEB' })).toEqual(['a', 'b']);
  expect(await keys(live, { search: 'zebra -b' })).toEqual(['a']);
  expect(await keys(live, { search: 'observation:far' })).toEqual(['a', 'b']);
  expect(await keys(live, { search: 'model:far' })).toEqual([]);
  expect(await keys(live, { search: '"of c"' })).toEqual(['c']);
  expect(await keys(live, { search: 'trajectory_of_b_0' })).toEqual(['b']);
});

test('rollouts stand by their task, with what each answered and how many are right', async () => {
  const run = newRun();
  for (const id of ['a', 'b']) run.emit('tasks', id, [taskOf(id, `question of ${id}`)]);
  for (const [id, rollout, judgement] of [
    ['b', 0, 'correct'],
    ['a', 1, 'correct'],
    ['a', 0, 'incorrect'],
  ] as const) {
    const trajectory = trajectoryOf(id, 'looked', judgement, rollout);
    const text = `<answer>${id} ${rollout}\nin full</answer>`;
    trajectory.segments.push({ tag: 'answer', origin: 'model', text, event: 'e3' });
    run.emit('convert', id, [trajectory]);
    run.emit('judge', id, [trajectory]);
  }
  const live = await openIndex(run);
  const sorted = (filter: string) =>
    rowAnswers(live.index, live.query(parseRowFilter(new URLSearchParams(filter))).rows).map(
      ({ key, answer, gold, verdict, right, scored, rollouts, profile }) =>
        `${key} ${answer} ${gold} ${verdict} ${right}/${scored}/${rollouts} ${profile}`,
    );
  const [first, second, other] = [
    'a a 0 Mount Merle wrong 1/2/2 web',
    'a#1 a 1 Mount Merle right 1/2/2 web',
    'b b 0 Mount Merle right 1/1/1 web',
  ] as const;
  expect(sorted('')).toEqual([first, second, other]);
  expect(sorted('sort=-row')).toEqual([other, second, first]);
  expect(sorted('sort=-answer')).toEqual([other, second, first]);
  expect(sorted('sort=verdict')).toEqual([other, second, first]);
  expect(sorted('sort=-verdict')).toEqual([first, other, second]);
  expect(sorted('verdict=wrong&rollout=1-1')).toEqual([first]);
});

test('facets count what the other filters leave, ranges and sorting work on figures', async () => {
  const run = newRun();
  writeFour(run);
  const live = await openIndex(run);
  const dropped = { ...everything, facets: { state: ['dropped'] } };
  const { rows, facets } = live.query(dropped);
  expect(rows.length).toBe(2);
  expect(facets.state).toEqual(
    expect.arrayContaining([
      { value: 'kept', count: 1 },
      { value: 'dropped', count: 2 },
    ]),
  );
  expect(facets.stage.map(({ value }) => value).sort()).toEqual(['dedup', 'filter']);
  expect(await keys(live, { facets: { judge: [NONE] } })).toEqual(['c', 'd', 'd~1']);
  expect(await keys(live, { facets: { reason: ['never seen'] } })).toEqual([]);
  expect(await keys(live, { ranges: { tokens: [100, 130] } })).toEqual(['a']);
  expect((await keys(live, { sort: { by: 'score_percent', isDescending: true } })).slice(0, 2)).toEqual([
    'a',
    'b',
  ]);
  expect((await keys(live, { sort: { by: 'score_percent', isDescending: false } })).slice(0, 2)).toEqual([
    'b',
    'a',
  ]);
});

test('a run that grows is followed, and a failure that is tried again is pending', async () => {
  const run = newRun();
  writeFour(run);
  const live = await openIndex(run);
  run.end('rollout', { task_id: 'c', kind: 'retry', cause: 'endpoint_timeout' });
  expect((await ends(live)).c).toBe('pending rollout');
  run.emit('convert', 'c', [trajectoryOf('c', 'came after all')]);
  expect((await ends(live)).c).toBe('pending convert');
  expect(await keys(live, { search: 'came' })).toEqual(['c']);
  // A torn line is read once it is whole.
  appendFileSync(join(run.folder, 'export/records.jsonl'), '{"index":9,');
  await live.grow();
  expect(live.progress).toMatchObject({ damaged: 0 });
});

test('rollouts of one task are rows with its pass rate', async () => {
  const run = newRun();
  run.emit('tasks', 'a', [taskOf('a', 'why')]);
  for (const [rollout, judgement] of ['correct', 'incorrect', 'incorrect'].entries())
    run.emit('judge', 'a', [trajectoryOf('a', 'x', judgement as 'correct', rollout)]);
  const live = await openIndex(run);
  expect(Object.keys(await ends(live))).toEqual(['a', 'a#1', 'a#2']);
  expect([0, 1, 2].map((row) => live.index.columns.figureOf(row, 'pass_rate_percent'))).toEqual([33, 33, 33]);
  expect(live.index.siblingsOf(2)).toEqual([0, 1, 2]);
  // What the model did not answer is wrong; an endpoint's failure is in no rate, nor is a second try.
  for (const [at, cause] of ['malformed_answer', 'endpoint_error'].entries()) {
    const failure = { cause, message: 'no', retryable: false, evidence: {} };
    run.end('rollout', { kind: 'fail', task_id: 'a', record_id: 'a', rollout: 3 + at, failure });
  }
  run.emit('judge', 'a', [{ ...trajectoryOf('a', 'x', 'correct', 5), repairs: 1 }]);
  await live.grow();
  expect(live.index.columns.figureOf(0, 'pass_rate_percent')).toBe(25);
});

test('records of one task that were imported, which nobody numbered, are rows of their own', async () => {
  const run = newRun('run', { imported: { format: 'afm', files: [], tools: {} } });
  const [x, y] = ['x', 'y'].map((text) => ({
    ...trajectoryOf('a', text, 'correct'),
    id: `trajectory_${text}`,
  }));
  for (const record of [x!, y!]) run.emit('convert', 'a', [record], `row of ${record.id}`);
  const drop = { kind: 'drop', task_id: 'a', evidence: {} } as const;
  run.end('convert', { ...drop, record_id: 'row 3', reason: 'duplicate_question' });
  for (const record of [y!, x!]) run.emit('judge', 'a', [record], record.id);
  // Masking makes another record of it.
  run.emit('filter', 'a', [{ ...x!, id: 'trajectory_masked' }], x!.id);
  run.end('filter', { ...drop, record_id: y!.id, reason: 'wrong_answer' });
  run.emit('export', 'a', [{ split: 'train', tokens: 9, trained_tokens: 3 }], 'trajectory_masked');
  const word = { task_id: 'a', author: 'ada', at: '2026-11-24T10:00:00.000Z', verdict: 'accept' } as const;
  await appendReview(run.folder, { ...word, record_id: y!.id });
  const live = await openIndex(run);
  expect(await ends(live)).toEqual({
    a: 'dropped convert duplicate_question',
    'a~1': 'kept export',
    'a~2': 'dropped filter wrong_answer',
  });
  expect(await keys(live, { facets: { review: ['accepted'] } })).toEqual(['a~2']);
});

test('what is stale is not shown', async () => {
  const run = newRun();
  writeFour(run);
  const live = await openIndex(run);
  run.begin('filter', 'another');
  expect(await ends(live)).toMatchObject({ a: 'pending judge', b: 'pending judge' });
  expect(await keys(live, { search: 'zebra' })).toEqual(['a', 'b']);
});

test('once the changes of a line are given, reading goes on behind it', async () => {
  const run = newRun();
  for (const id of ['a', 'b']) run.emit('tasks', id, [taskOf(id, 'why')]);
  const feed = createRunFeed(run.folder);
  const taken = async (most: number): Promise<string[]> => {
    const keys: string[] = [];
    for await (const lines of (await feed.look()).changes())
      for (const changes of lines) {
        keys.push(...changes.map(({ key }) => key.taskId));
        if (keys.length === most) return keys;
      }
    return keys;
  };
  expect([await taken(1), await taken(2), await taken(2)]).toEqual([['a'], ['b'], []]);
});

test('files of which some rows were read are read again', async () => {
  const path = join(temporaryFolder(), 'rows.jsonl');
  writeFileSync(path, '{"id":1}\n{"id":2}\n');
  const feed = createFileFeed(path);
  for await (const _ of (await feed.look()).changes()) break;
  const again = await feed.look();
  expect(again).toMatchObject({ startsOver: true, isEmpty: false });
  for await (const _ of again.changes());
  expect(await feed.look()).toMatchObject({ startsOver: false, isEmpty: true });
});

test('the funnel is what the journals say, however often they are looked at', async () => {
  const run = newRun();
  writeFour(run);
  const feed = createRunFeed(run.folder);
  const live = new LiveIndex(feed);
  onTestFinished(() => live.close());
  const isSame = async () => {
    await live.grow();
    const followed = await readFunnel(run.folder, (stage) => feed.ends(stage));
    expect(JSON.stringify(followed)).toBe(JSON.stringify(await readFunnel(run.folder)));
    return followed.find(({ stage }) => stage === 'rollout');
  };
  run.end('filter', { task_id: 'a', kind: 'drop', reason: 'few_tools', evidence: {} });
  expect(await isSame()).toMatchObject({ failed: { endpoint_timeout: 1 } });
  run.end('rollout', { task_id: 'c', kind: 'retry', cause: 'endpoint_timeout', index: 10 });
  run.emit('rollout', 'c', []);
  expect(await isSame()).toMatchObject({ emitted: 1, failed: {} });
  // What is stale is not followed, and counted all the same.
  run.begin('filter', 'another');
  expect(feed.ends('filter')).toMatchObject({ dropped: { wrong_answer: 1 } });
  await isSame();
  expect(feed.ends('filter')).toBeUndefined();
});

test('lines that can not be read are counted, and the others are there', async () => {
  const run = newRun();
  run.emit('tasks', 'a', [taskOf('a', 'why')]);
  appendFileSync(join(run.folder, 'tasks/records.jsonl'), 'no JSON\n{"task_id":"q","records":[{"id":1}]}\n');
  run.emit('tasks', 'b', [taskOf('b', 'how')]);
  const live = await openIndex(run);
  expect(Object.keys(await ends(live))).toEqual(['a', 'b']);
  expect(live.progress.damaged).toBe(2);
});

test('records are found by what reviewers say of them as they are now, also where the review came first', async () => {
  const run = newRun();
  const say = (author: string, id: string, word: Partial<ReviewLine>) =>
    appendReview(run.folder, {
      record_id: `trajectory_of_${id}_0`,
      task_id: id,
      author,
      at: '2026-11-22T10:00:00.000Z',
      verdict: 'accept',
      ...word,
    });
  await say('ada', 'a', { verdict: 'reject', reason: 'wrong_answer' });
  const live = await openIndex(run);
  writeFour(run);
  await live.grow();
  const found = (...review: string[]) => keys(live, { facets: { review } });
  expect(await found('rejected')).toEqual(['a']);
  expect(await found(NONE)).not.toContain('a');
  await say('ben', 'a', { note: 'is it' });
  await say('ben', 'b', { record_id: 'trajectory_of_before' });
  await say('ben', 'nowhere', {});
  await live.grow();
  // Asked at once: no result is gone before it is used.
  const words = ['reviewers differ', 'accepted', 'with a note'];
  expect(await Promise.all(words.map((word) => found(word)))).toEqual([['a'], ['a'], ['a']]);
  await say('ada', 'a', { verdict: 'unset' });
  await say('ben', 'a', { verdict: 'unset' });
  expect(await found(NONE)).toEqual(await keys(live, {}));
  appendFileSync(join(run.folder, 'reviews.jsonl'), 'damaged\nand damaged\n');
  expect(await keys(live, {})).toContain('a');
});

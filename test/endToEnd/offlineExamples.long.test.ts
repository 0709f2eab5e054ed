import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { examplesFolder } from '../examples/support/examplesFolder.ts';
import { readJsonLines } from '../pipeline/support/runFake.ts';
import { writeAnswerKey } from '../support/answerKey/answerKeyOf.ts';
import { exampleFlaws } from '../support/answerKey/plantedFlaws.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { testDataPath } from '../support/testData.ts';

/** An example, its tasks and how many of them are enough to see every tool of its profile used. */
const examples: readonly [name: string, tools: readonly string[], tasks?: string, limit?: number][] = [
  ['quickstart', ['code', 'crawl_page', 'web_search', 'wiki_search']],
  ['aime24', ['code'], 'aime24.parquet', 4],
  ['math500', ['code'], 'math500.parquet', 4],
  ['livecodebench', ['code'], 'livecodebench_v4.parquet', 4],
  ['nq', ['wiki_search'], 'nq.jsonl', 8],
];

test.each(examples)(
  '%s gives the same bytes when it is replayed and when it is run again, and the same words where roles are asked one by one',
  async (name, tools, tasks, limit) => {
    const cwd = mkdtempSync(join(tmpdir(), 'coa-test-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const args = [
      'run',
      join(examplesFolder, `${name}.yaml`),
      ...['--set', `runs_dir=${join(cwd, 'runs')}`],
      ...(tasks ? ['--tasks', testDataPath(`tasks/${tasks}`), ...(await playedBy(name, tasks, cwd))] : []),
      ...(limit ? ['--limit', String(limit)] : []),
    ];
    const dataset = (run = name) => folderHashes(join(cwd, 'runs', run, 'dataset'));
    await runWell(args, { cwd });
    const before = dataset();
    expect(Object.keys(before)).toContain('trajectories.jsonl');

    const stats = JSON.parse((await runCli(['cache', 'stats', name, '--json'], { cwd })).stdout);
    const groups = stats.groups as { kind: string; name: string; answers: number }[];
    expect(groups.filter(({ kind }) => kind === 'tool').map((group) => group.name)).toEqual(tools);

    await runWell([...args, '--from', 'rollout', '--offline'], { cwd });
    expect(dataset()).toEqual(before);
    const after = JSON.parse((await runCli(['cache', 'stats', name, '--json'], { cwd })).stdout);
    expect(after.answers).toBe(stats.answers);

    await runWell([...args, '--name', 'second'], { cwd });
    expect(dataset('second')).toEqual(before);

    const asBefore = ['--set', 'teacher.layout=per_role', '--set', 'teacher.turns=apart'];
    await runWell([...args, '--name', 'apart', '--until', 'convert', ...asBefore], { cwd });
    expect(wordsOf(join(cwd, 'runs/apart'))).toEqual(wordsOf(join(cwd, 'runs', name)));
  },
);

/** Settings that have an example's tasks played from their known answers, with flaws. */
async function playedBy(example: string, tasks: string, folder: string): Promise<string[]> {
  const config = join(examplesFolder, `${example}.yaml`);
  const file = join(folder, 'script.jsonl');
  await writeAnswerKey(config, {
    tasksFile: testDataPath(`tasks/${tasks}`),
    limit: 20,
    planted: exampleFlaws,
    file,
  });
  // The bundled passages do not know these questions.
  const settings = ['teacher.backend=scripted', `teacher.script=${file}`, 'filters.grounding.drop=false'];
  return settings.flatMap((setting) => ['--set', setting]);
}

/** What the trajectories of a run say, by task. */
function wordsOf(folder: string): Map<string, unknown> {
  const lines = readJsonLines(join(folder, 'convert/records.jsonl'));
  const records = lines.flatMap(({ records }) => (records ?? []) as Trajectory[]);
  return new Map(
    records.map(({ task_id, segments }) => [
      task_id,
      segments.map(({ tag, origin, text }) => ({ tag, origin, text })),
    ]),
  );
}

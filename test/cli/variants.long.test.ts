import { cpSync, existsSync, linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Journal } from '../../base/journal/journal.ts';
import { sealedFile } from '../../base/journal/sealed.ts';
import type { RunComparison } from '../../operations/compareRuns.ts';
import type { StoryStep } from '../../operations/taskStory.ts';
import { runFileSchema } from '../../schemas/run/runFile.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { createProject } from './support/project.ts';
import { runCli, runRefused, runWell } from './support/runCli.ts';

const cwd = sharedFolder();
const runs = (...path: string[]) => join(cwd, 'runs', ...path);
const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n');
const coa = (...args: string[]) => runCli(args, { cwd });
const well = (...args: string[]) => runWell(args, { cwd });
const refused = (args: string[], words: RegExp) => runRefused(args, { cwd }, words);
const namesIn = (folder: string) => readdirSync(folder).filter((name) => !name.startsWith('.'));
const manifestOf = (run: string) => JSON.parse(readFileSync(runs(run, 'dataset/manifest.json'), 'utf8'));

const planted = { wrong_answer: 0.2, redundant_query: 0.2, missing_reflection: 0.3 };

beforeAll(async () => {
  createProject({ folder: cwd, planted, more: 'name: coa\n' });
  await well('run');
});

describe('a run decided again', () => {
  test('asks no model, leaves the old run as it is, and is what the same settings give from the start', async () => {
    const before = folderHashes(runs('coa'));
    const asked = linesOf(runs('coa/teacher/requests.jsonl')).length;
    // Nothing that the tasks and the teacher read is needed.
    rmSync(join(cwd, 'passages.jsonl'));
    const settings = [
      'filters.reflection={rate: 0}',
      'filters.max_redundant_tool_inputs=null',
      'dataset={formats: [llama_factory, tokenized], mask: {thinking: false}, validation_share: 0.25}',
      'name=other',
    ];
    const set = settings.flatMap((setting) => ['--set', setting]);
    const result = await well('refilter', 'coa', ...set);
    expect(folderHashes(runs('coa'))).toEqual(before);
    expect(linesOf(runs('coa/teacher/requests.jsonl'))).toHaveLength(asked);
    // The requests belong to the old run.
    expect(existsSync(runs('coa-2/teacher'))).toBe(false);
    expect(result.stdout).not.toMatch(/model calls|tool calls/);
    const again = await coa('refilter', 'coa', ...set, '--name', 'told', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ roles: [], tools: [] });
    rmSync(runs('told'), { recursive: true });
    expect(result.stdout).toMatch(/coa -> coa-2: \d+ records enter, \d+ leave, \d+ are kept in both/);
    const run = runFileSchema.parse(JSON.parse(readFileSync(runs('coa-2/run.json'), 'utf8')));
    expect(run.variant_of).toEqual({ run: 'coa', set: settings });
    expect(namesIn(runs())).toEqual(['coa', 'coa-2']);

    const other = createProject({
      folder: temporaryFolder(),
      planted,
      more: `${settings.map((setting) => setting.replace('=', ': ')).join('\n')}\n`.replace(
        /filters\.(.*)\nfilters\.(.*)/,
        'filters: { $1, $2 }',
      ),
    });
    await runWell(['run'], { cwd: other });
    expect(folderHashes(runs('coa-2/dataset'))).toEqual(folderHashes(join(other, 'runs/other/dataset')));
  });

  test('says by run and reason what enters and leaves', async () => {
    const result = await well('compare', 'coa', 'coa-2', '--json');
    const comparison = JSON.parse(result.stdout) as RunComparison;
    const [was, now] = [manifestOf('coa').rows, manifestOf('coa-2').rows];
    expect(comparison.kept_in_both + comparison.left.length).toBe(was);
    expect(comparison.kept_in_both + comparison.entered.length).toBe(now);
    expect(comparison.left.length).toBeGreaterThan(0);
    expect(comparison.entered.length).toBeGreaterThan(0);
    for (const { was, now } of comparison.left)
      expect([was!.kind, now!.kind, now!.reason]).toEqual(['kept', 'dropped', 'no_reflection']);
    for (const { was, now } of comparison.entered)
      expect([was!.reason, now!.kind]).toEqual(['redundant_tool_input', 'kept']);
    expect(comparison.settings).toContain('filters.max_redundant_tool_inputs');
    const back = JSON.parse((await coa('compare', 'coa-2', 'coa', '--json')).stdout) as RunComparison;
    expect(back.entered.map(({ task_id }) => task_id)).toEqual(comparison.left.map(({ task_id }) => task_id));
    expect((await coa('compare', 'coa', 'coa')).stdout).toMatch(/0 records enter, 0 leave/);
  });

  test('goes on under its name only with the same settings', async () => {
    const result = await coa('refilter', 'coa', '--set', 'filters.min_interactions=99', '--name', 'none');
    expect(result.code, result.stderr).toBe(2);
    expect(manifestOf('none').rows).toBe(0);
    expect(
      (await coa('refilter', 'coa', '--set', 'filters.min_interactions=99', '--name', 'none')).stdout,
    ).toMatch(/none is already complete/);
    await refused(
      ['refilter', 'coa', '--set', 'filters.min_interactions=98', '--name', 'none'],
      /made with other settings; choose/,
    );
  });

  test('stops before the dataset where it is asked to, and is compared all the same', async () => {
    const set = ['--set', 'filters.min_interactions=99'];
    const result = await coa('refilter', 'coa', ...set, '--until', 'filter', '--name', 'filtered', '--json');
    expect(result.code, result.stderr).toBe(2);
    expect(existsSync(runs('filtered/dataset'))).toBe(false);
    const { left } = JSON.parse((await coa('compare', 'coa', 'filtered', '--json')).stdout) as RunComparison;
    expect(left).toHaveLength(manifestOf('coa').rows);
    await refused(['refilter', 'coa', ...set, '--until', 'select'], /--until select: the run has no such/);
  });

  test('that was cut off goes on under its name when it is asked for again', async () => {
    const set = ['--set', 'filters.min_interactions=97'];
    const run = async (...more: string[]) => {
      const result = await coa('refilter', 'coa', ...set, '--json', ...more);
      expect(result.code, result.stderr).toBe(2);
      return JSON.parse(result.stdout).run as string;
    };
    const name = await run('--until', 'filter');
    expect(await run('--until', 'filter')).toBe(name);
    expect(await run()).toBe(name);
    expect(manifestOf(name).rows).toBe(0);
  });

  test('does not go on where a file that it reads has changed', async () => {
    const rates = join(cwd, 'rates.jsonl');
    const args = [
      'refilter',
      'coa',
      '--set',
      'filters.pass_rate={from: rates.jsonl, max: 0.3}',
      '--until',
      'filter',
    ];
    writeFileSync(rates, '{"passed": 3}\n');
    await refused([...args, '--json'], /rates\.jsonl, line 1: samples/);
    writeFileSync(rates, '{"question": "x", "passed": 1, "samples": 2}\n');
    await well(...args, '--json');
    rmSync(rates);
  });

  test('in the middle of a stage is compared up to the one before, each record once', async () => {
    const half = runs('half');
    cpSync(runs('coa'), half, { recursive: true });
    const path = join(half, 'filter/stage.json');
    const { checksum, ...file } = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, sealedFile({ ...file, complete: false }));
    const result = await coa('compare', 'coa', 'half', '--json');
    const comparison = JSON.parse(result.stdout) as RunComparison;
    expect(comparison.up_to).toEqual(['export', 'judge']);
    expect(comparison.kept_in_both).toBe(manifestOf('coa').rows);
    expect(comparison.left).toEqual([]);
    const { emitted_inputs } = JSON.parse(readFileSync(runs('coa/judge/stage.json'), 'utf8'));
    expect(comparison.kept_in_both + comparison.entered.length).toBe(emitted_inputs);
    expect((await coa('compare', 'coa', 'half')).stdout).toMatch(/half is finished up to judge/);
    rmSync(half, { recursive: true });
  });

  test.each([
    ['filters.complexity.min_interactions=7', /did you mean "filters\.min_interactions"\?/],
    ['filter.min_interactions=7', /did you mean "filters"\?/],
    [
      'teacher.model.model=other',
      /^error: --set: teacher\.model\.model shapes the stage rollout, and only what filter, select, balance, review, export make/,
    ],
    ['filters.max_redundant_tool_inputs=many', /filters\.max_redundant_tool_inputs: expected a number/],
    ['filters.min_interactions.chess=7', /--set: filters\.min_interactions\.chess: unknown profile "chess"/],
    ['filters.check=[no_block]', /unknown rule "no_block"; did you mean "no_blocks"\?/],
    ['filters.min_interactions', /expected key=value/i],
    [
      'filters.pass_rate={from: none.jsonl}',
      /--set: filters\.pass_rate\.from: no such file: .*none\.jsonl$/m,
    ],
    ['seed=8', /--set: seed shapes the stage rollout, filter, balance/],
    ['filters.duplicate_questions=keep', /filters\.duplicate_questions shapes the stage dedup/],
    ['dataset.system_prompt=Other', /dataset\.system_prompt shapes the stage convert/],
    ['dataset.chat_template=chatlm', /dataset\.chat_template: .*chatlm/],
    ['dataset.tokenizer=none.json', /--set: dataset\.tokenizer: no such file: .*none\.json$/m],
    ['teacher.concurrency=3', /teacher\.concurrency shapes no stage/],
  ])('%s is refused in one line', async (setting, words) => {
    const result = await coa('refilter', 'coa', '--set', setting, '--name', 'refused');
    expect([result.code, result.stderr]).toEqual([2, expect.stringMatching(words)]);
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
    expect(existsSync(runs('refused'))).toBe(false);
  });

  test('a run that is not judged yet has nothing to decide over', async () => {
    const folder = createProject({ more: 'name: coa\n' });
    await runWell(['run', '--until', 'convert'], { cwd: folder });
    await runRefused(
      ['refilter', 'coa', '--set', 'filters.min_interactions=1'],
      { cwd: folder },
      /its stage judge is not finished/,
    );
    expect(namesIn(join(folder, 'runs'))).toEqual(['coa']);
  });
});

describe("a record's story", () => {
  const storyOf = async (...args: string[]) => {
    const result = await well('why', ...args, '--json');
    return JSON.parse(result.stdout) as { run: string; task_id: string; steps: StoryStep[] }[];
  };

  test('is the same by every id that it has', async () => {
    const [byRow] = await storyOf('coa', 'train:0');
    expect(byRow!.steps.map(({ stage }) => stage)).toEqual([
      ...['tasks', 'dedup', 'rollout', 'convert', 'judge', 'filter', 'export'],
    ]);
    const recordOf = (stage: string) => {
      const step = byRow!.steps.find((one) => one.stage === stage);
      return step?.kind === 'emitted' ? step.records[0]! : {};
    };
    const ids = [
      recordOf('tasks').given_id,
      ...['tasks', 'rollout', 'convert', 'export'].map((stage) => recordOf(stage).id),
    ];
    for (const id of ids) expect(await storyOf('coa', String(id))).toEqual([byRow]);
    const everywhere = await storyOf(byRow!.task_id);
    expect(everywhere.map(({ run }) => run)).toContain('coa-2');
    expect((await coa('why', 'coa', '0')).stdout).toMatch(/export +row 0 of the train split/);
  });

  test('of a dropped one ends with its reason and evidence', async () => {
    const { stdout } = await coa('compare', 'coa', 'coa-2', '--json');
    const { task_id } = (JSON.parse(stdout) as RunComparison).left[0]!;
    const { stdout: story } = await coa('why', 'coa-2', task_id);
    expect(story).toMatch(/filter +dropped: no_reflection/);
    expect(story).toMatch(/evidence\.rate: 0$/m);
    expect(story).not.toMatch(/export/);
  });

  // A profile's name and a reason stand in the lines of many records.
  test.each(['train:999', 'mhqa', 'wrong_answer'])('an id that nothing has is refused: %s', async (id) => {
    await refused(['why', 'coa', id], /no task, trace, trajectory or row/);
  });
});

test('a journal that another run shares is copied before it is written to', async () => {
  const folder = temporaryFolder();
  const [own, shared] = [join(folder, 'own.jsonl'), join(folder, 'shared.jsonl')];
  writeFileSync(shared, '{"a":1}\n');
  linkSync(shared, own);
  const journal = await Journal.open(own, 8);
  journal.append({ b: 2 });
  await journal.close();
  expect(readFileSync(shared, 'utf8')).toBe('{"a":1}\n');
  expect(readFileSync(own, 'utf8')).toContain('{"a":1}\n{"b":2,');
});

test('a run decided again has the formats of its settings, not those that were added to the other', async () => {
  expect((await coa('export', 'coa', '--to', 'axolotl')).code).toBe(0);
  expect(manifestOf('coa').formats).toContain('axolotl');
  await well('refilter', 'coa', '--set', 'filters.max_redundant_tool_inputs=3', '--name', 'plain');
  expect(manifestOf('plain').formats).not.toContain('axolotl');
});

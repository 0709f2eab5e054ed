import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../base/systemClock.ts';
import { UserError } from '../../base/userError.ts';
import { exportRun } from '../../operations/exportRecords/exportRun.ts';
import { readFunnel } from '../../operations/report/funnel.ts';
import { makeVariant } from '../../operations/variant/makeVariant.ts';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { silentObserver } from '../../pipeline/createSession.ts';
import { loadRunConfig } from '../../pipeline/import/importedRun.ts';
import { refusalCounts } from '../../pipeline/import/refusedRows.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import { atifTrajectorySchema } from '../../schemas/interchange/atif.ts';
import { createProject, jsonLines, sampleTasks, scriptedTeacher } from '../cli/support/project.ts';
import { mistakeOf } from '../support/mistakeOf.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { testDataPath } from '../support/testData.ts';
import { fixturePath } from './importing.ts';
import { runImport, runLoaded } from './runInProcess.ts';

const keepAll = 'filters: { min_interactions: { mhqa: 0 } }';
const published = {
  instruction: 'Play every agent.',
  input: 'Question: Where does the Teln end?',
  output: `<think>Find it.</think>
<plan>Search.</plan>
<think>Now.</think>
<wiki_search>Teln</wiki_search>
<observation>
In Norland.
</observation>

<think>Done.</think>
<answer>Norland</answer>`,
};

function readJson(...path: string[]): unknown {
  return JSON.parse(readFileSync(join(...path), 'utf8'));
}

function writeRows(folder: string, name: string, rows: readonly object[]): void {
  writeFileSync(join(folder, name), JSON.stringify(rows));
}

describe('an imported run', () => {
  test('counts what became of every row, and later stages go on from it without the files', async () => {
    const folder = createProject({ more: keepAll });
    const file = join(folder, 'log.jsonl');
    writeFileSync(file, `${readFileSync(fixturePath('quirks.openai.jsonl'), 'utf8')}{"torn": \n`);
    const imported = await runImport(folder, {
      format: 'openai',
      files: ['log.jsonl'],
      name: 'oa',
      profile: 'mhqa',
    });
    expect(imported.funnel).toMatchObject([
      {
        stage: 'rollout',
        complete: true,
        entered: 6,
        emitted: 1,
        dropped: { ambiguous_row: 1, malformed_row: 3, unsupported_row: 1 },
      },
    ]);
    const refused = await refusalCounts(imported.folder, 'rollout');
    expect(refused.reduce((sum, { rows }) => sum + rows, 0)).toBe(5);
    expect(refused[0]).toMatchObject({ code: 'call_without_result', rows: 2 });
    expect(refused.find(({ code }) => code === 'second_user_message')?.example).toMatch(
      /^log\.jsonl:5: messages\[2\]: /,
    );

    rmSync(file);
    const loaded = await loadConfig(join(folder, 'coa.yaml'), {}, {});
    const { funnel } = await runLoaded(folder, loaded, 'oa', { from: 'convert' });
    expect(funnel.map(({ stage, emitted, complete }) => [stage, emitted, complete])).toEqual(
      ['rollout', 'convert', 'judge', 'filter', 'export'].map((stage) => [stage, 1, true]),
    );
  });

  test('of published rows keeps those that do not parse, and exports the others to the byte', async () => {
    const folder = createProject({ more: keepAll });
    const torn = { ...published, output: '<plan>x' };
    const again = { ...published, input: 'Question: where does the TELN end' };
    const loose = {
      ...published,
      input: 'Question: Where?',
      output: published.output.replace('\n<think>D', '<think>D'),
    };
    writeRows(folder, 'data.json', [published, torn, again, loose]);
    const request = { format: 'afm', files: ['data.json'], name: 'back', configFile: 'coa.yaml' } as const;
    const { funnel, notes } = await runImport(folder, { ...request, profile: 'mhqa' }, { until: 'export' });
    const [convert, judge] = funnel;
    expect(convert).toMatchObject({
      entered: 4,
      emitted: 2,
      dropped: { malformed_row: 1, duplicate_question: 1 },
    });
    expect(judge).toMatchObject({ stage: 'judge', entered: 2, emitted: 2, failed: {} });
    expect(notes).toEqual(['convert: of 4 rows layout_repaired in 1, no_gold_answer in 2']);
    expect(readJson(folder, 'runs/back/convert/stage.json')).toMatchObject({
      remarks: { layout_repaired: 1 },
    });
    const rows = readJson(folder, 'runs/back/dataset/afm/coa.json');
    expect(rows).toEqual([published, { ...loose, output: published.output }]);
    const [first] = readFileSync(join(folder, 'runs/back/convert/ledger.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(first!)).toMatchObject({
      record_id: 'data.json:2',
      evidence: { code: 'missing_end_tag', path: 'output', file: 'data.json', row: 2, source: torn },
    });
  });

  test('of published rows exports the same bytes each time, also where text looks like a control token', async () => {
    const folder = createProject({ more: keepAll });
    copyFileSync(testDataPath('review/afm-backslashes.json'), join(folder, 'first.json'));
    const datasets: string[] = [];
    for (let nth = 0; nth < 10; nth++) {
      const name = `again${nth}`;
      const files = [nth === 0 ? 'first.json' : `runs/again${nth - 1}/dataset/afm/coa.json`];
      const request = { format: 'afm', files, name, configFile: 'coa.yaml', profile: 'mhqa' } as const;
      await runImport(folder, request, { until: 'export' });
      datasets.push(readFileSync(join(folder, 'runs', name, 'dataset/afm/coa.json'), 'utf8'));
    }
    expect(new Set(datasets)).toEqual(new Set([datasets[0]]));
    expect(datasets[0]).toContain('see <\\\\\\\\\\\\tool\\\\_call\\\\> in 1901');
  });

  test('of which no row could be read is a mistake that says the commonest reason first', async () => {
    const folder = createProject();
    const torn = { ...published, output: '<plan>x' };
    writeRows(folder, 'a.json', [{ ...published, output: 'x' }, torn, { ...torn, input: 'Question: Why?' }]);
    const importing = () =>
      runImport(folder, { format: 'afm', files: ['a.json'], name: 'x' }, { until: 'export' });
    expect(await mistakeOf(importing())).toMatch(
      /^none of 3 rows could be imported as afm: 2 missing_end_tag, first at a\.json:2: output: .+\. 1 no_blocks, first at a\.json:1: .+\. Correct the rows/,
    );
    // The name is free for another try.
    writeRows(folder, 'b.json', [published]);
    expect(await runImport(folder, { format: 'afm', files: ['b.json'], name: 'x' })).toMatchObject({
      funnel: [{ entered: 1, emitted: 1 }],
    });
  });

  test('of published rows is filtered only where a configuration says so', async () => {
    const folder = createProject();
    const simple = { ...published, input: 'Question: And again?' };
    writeRows(folder, 'a.json', [published, published, simple]);
    const request = { format: 'afm', files: ['a.json'] } as const;
    const off = await runImport(folder, { ...request, name: 'off' }, { until: 'export' });
    expect(readJson(off.folder, 'dataset/afm/off.json')).toEqual([published, published, simple]);
    const on = await runImport(
      folder,
      { ...request, name: 'on', configFile: 'coa.yaml' },
      { until: 'filter' },
    );
    expect(on.funnel.map(({ emitted, dropped }) => [emitted, dropped])).toEqual([
      [2, { duplicate_question: 1 }],
      [2, {}],
      [0, { too_few_interactions: 2 }],
    ]);
    const variant = await makeVariant({
      from: { folder: off.folder, run: (await readRunFile(off.folder))! },
      set: ['filters.min_interactions={mhqa: 9}', 'dataset.formats=[llama_factory]'],
      signal: new AbortController().signal,
      clock: systemClock,
      env: {},
      observer: silentObserver,
      log: () => {},
    });
    const dropped = { too_few_interactions: 3 };
    expect((await readFunnel(variant.folder)).at(-2)).toMatchObject({ stage: 'filter', emitted: 0, dropped });
    expect(readJson(variant.folder, 'dataset/manifest.json')).toMatchObject({ formats: ['llama_factory'] });
  });

  test.each([
    ['no tasks', ''],
    ['tasks that are gone', 'tasks: { sources: [{ file: gone.jsonl, profile: nobody }] }'],
    ['tasks of another kind', 'tasks: 3'],
  ])('needs none of the tasks of its configuration: %s', async (_, tasks) => {
    const folder = temporaryFolder();
    const own =
      '[{ name: shell, extends: mhqa, tags: [{ tag: bash, kind: tool, body: text }], follows: { plan: [bash, wiki_search, answer], bash: [answer] } }]';
    const config = join(folder, 'coa.yaml');
    writeFileSync(config, `runs_dir: ${join(folder, 'runs')}\nprofiles: ${own}\n${keepAll}\n${tasks}\n`);
    writeRows(folder, 'a.json', [published]);
    const request = { format: 'afm', files: ['a.json'], name: 'x', configFile: 'coa.yaml' } as const;
    const { funnel } = await runImport(folder, request, { until: 'filter' });
    expect(funnel.map(({ emitted }) => emitted)).toEqual([1, 1, 1]);
    // Neither does going on with it; another run does.
    const again = await runLoaded(folder, await loadRunConfig(config, {}, 'x'), 'x', {
      from: 'judge',
      until: 'judge',
    });
    expect(again.funnel.map(({ stage }) => stage)).toContain('judge');
    await expect(loadRunConfig(config, {}, 'y')).rejects.toThrow(UserError);
  });

  test('is complete once, and takes no other files', async () => {
    const folder = createProject();
    writeRows(folder, 'a.json', [published]);
    writeRows(folder, 'b.json', [{ ...published, input: 'Question: Why?' }]);
    const importing = (file: string) => runImport(folder, { format: 'afm', files: [file], name: 'x' });
    expect(await importing('a.json')).toMatchObject({ wasComplete: false });
    expect(await importing('a.json')).toMatchObject({
      wasComplete: true,
      funnel: [{ entered: 1, emitted: 1 }],
    });
    await expect(importing('b.json')).rejects.toThrow('another configuration');
  });

  test.each([
    [{ files: ['gone.jsonl'] }, 'gone.jsonl: there is no such file'],
    [{ profile: 'mqha' }, '--profile: unknown profile "mqha"; did you mean "mhqa"'],
    [{ map: ['lookup'] }, '--map: expected tool=tag'],
    [{ map: ['webdanser'] }, 'did you mean "webdancer"?'],
    [{ map: ['search_r1', 'webdancer'] }, '--map: search_r1 and webdancer both say'],
    [{ map: ['webdancer'], format: 'atif' as const }, '--map: webdancer is for conversations'],
    [
      { map: [fixturePath('foreign/wrong.map.yaml')] },
      'wrong.map.yaml:2: results: unknown key; did you mean "result"?',
    ],
    [{ map: ['lookup=dig'] }, '--map: "dig" is not a tag'],
    [{ files: ['empty.jsonl'] }, 'empty.jsonl: the file is empty'],
  ])('is not begun when something is wrong: %j', async (changed, message) => {
    const folder = createProject();
    writeFileSync(join(folder, 'empty.jsonl'), '');
    const before = readdirSync(folder);
    const importing = runImport(folder, { format: 'openai', files: ['tasks.jsonl'], name: 'x', ...changed });
    expect(await mistakeOf(importing)).toMatch(message);
    expect(readdirSync(folder)).toEqual(before);
  });
});

test('a run exported to each format and imported again is the same data set', async () => {
  const folder = createProject({
    tasks: jsonLines(sampleTasks.slice(0, 6)),
    planted: { wrong_answer: 0.2 },
    rollouts: 2,
    teacher: `{ ${scriptedTeacher}, rollouts: 2, on_wrong: hint }`,
    more: keepAll,
  });
  const loaded = await loadConfig(join(folder, 'coa.yaml'), {}, {});
  const one = await runLoaded(folder, loaded, 'one', {});
  const original = readFileSync(join(one.folder, 'dataset/afm/coa.json'), 'utf8');
  expect(one.funnel.at(-1)?.emitted).toBeGreaterThan(5);

  for (const format of ['adp', 'openai'] as const) {
    const { path, records } = await exportRun({ runFolder: one.folder, format, stage: 'rollout' });
    expect([path, records]).toEqual([
      join(one.folder, `interchange/rollout/${format}.jsonl`),
      one.funnel[2]?.emitted,
    ]);
    const files = [`runs/one/interchange/rollout/${format}.jsonl`];
    const request = { format, files, name: format, configFile: 'coa.yaml' };
    const { folder: two } = await runImport(folder, request, { until: 'export' });
    expect(readFileSync(join(two, 'dataset/afm/coa.json'), 'utf8')).toBe(original);
  }

  const { path } = await exportRun({ runFolder: one.folder, format: 'atif', stage: 'filter' });
  const names = readdirSync(path);
  expect(names).toHaveLength(one.funnel.at(-1)!.emitted);
  for (const name of names)
    expect(atifTrajectorySchema.safeParse(readJson(path, name)).error).toBeUndefined();
  await expect(exportRun({ runFolder: one.folder, format: 'adp', out: path })).rejects.toThrow(
    'is there already',
  );
});

test('the profile and the map that the documentation shows import a row of WebDancer', async () => {
  const folder = temporaryFolder();
  const docs = readFileSync(new URL('../../docs/interchange.md', import.meta.url), 'utf8');
  const blocks = [...docs.matchAll(/```yaml\n# (\S+)\n([\s\S]*?)```/g)];
  expect(blocks.map(([, name]) => name)).toEqual(['webdancer.yaml', 'turns.yaml']);
  for (const [, name = '', text = ''] of blocks) writeFileSync(join(folder, name), text);
  copyFileSync(fixturePath('foreign/webdancer.jsonl'), join(folder, 'traj.jsonl'));
  const request = {
    format: 'openai',
    files: ['traj.jsonl'],
    profile: 'web_react',
    configFile: 'webdancer.yaml',
  } as const;
  const texts = await Promise.all(
    ['webdancer', join(folder, 'turns.yaml')].map(async (map, nth) => {
      const { folder: run, funnel } = await runImport(
        folder,
        { ...request, name: `r${nth}`, map: [map] },
        { until: 'convert' },
      );
      expect(funnel.map(({ emitted }) => emitted)).toEqual([1, 1]);
      return readFileSync(join(run, 'convert/records.jsonl'), 'utf8');
    }),
  );
  expect(texts[1]).toBe(texts[0]);
});

test('a stage that is not complete is not exported', async () => {
  const folder = createProject();
  writeRows(folder, 'a.json', [published]);
  const { folder: runFolder } = await runImport(folder, { format: 'afm', files: ['a.json'], name: 'x' });
  await expect(exportRun({ runFolder, format: 'adp', stage: 'filter' })).rejects.toThrow(
    'filter is not complete',
  );
  expect(await exportRun({ runFolder, format: 'adp' })).toMatchObject({ stage: 'convert', records: 1 });
});

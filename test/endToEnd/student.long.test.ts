import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject } from '../cli/support/project.ts';
import { type CliResult, runCli, runWell } from '../cli/support/runCli.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { sharedFolder } from './support/sharedFolder.ts';
import { startStudent } from './support/startStudent.ts';

const cwd = sharedFolder();
const run = join(cwd, 'runs/coa');
let student: Awaited<ReturnType<typeof startStudent>>;
let whole: CliResult;
let dataset: Record<string, string>;

const stageOf = (stage: string) => JSON.parse(readFileSync(join(run, stage, 'stage.json'), 'utf8'));
const asked = () => student.requests.filter(({ path }) => path === '/v1/completions');

beforeAll(async () => {
  student = await startStudent(5);
  const endpoint = `{ base_url: "${student.baseUrl}", api_key_env: "" }`;
  const sampling = '{ temperature: 1, max_tokens: 512 }';
  createProject({
    folder: cwd,
    teacher: `{ backend: coa_model, model: { model: my-student, endpoint: ${endpoint}, sampling: ${sampling} }, concurrency: 4, player: { server: transformers } }`,
    more: 'judge: { text: rule }\n',
  });
  whole = await runCli(['run', '--json'], { cwd });
  dataset = folderHashes(join(run, 'dataset'));
});

afterAll(() => student?.close());

test("a student's own right trajectories become rows; each other task ends for its own reason", () => {
  expect(whole.code, whole.stderr).toBe(0);
  expect(stageOf('rollout')).toMatchObject({ entered: 12, failed: { malformed_answer: 1 } });
  expect(stageOf('filter')).toMatchObject({ dropped: { wrong_answer: 3, invalid_grammar: 1 } });
  const manifest = JSON.parse(readFileSync(join(run, 'dataset/manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({ rows: 7, models: { 'student-1': 7 } });
  expect(readFileSync(join(run, 'dataset/README.md'), 'utf8')).toContain(
    '7 of the rows were written by the model `student-1` itself',
  );
  const [row] = readFileSync(join(run, 'dataset/trajectories.jsonl'), 'utf8').split('\n');
  const { segments, model } = JSON.parse(row!);
  expect(model).toBe('student-1');
  expect(new Set(segments.map(({ tag, origin }: Record<string, string>) => `${tag} ${origin}`))).toEqual(
    new Set(['think model', 'plan model', 'wiki_search model', 'observation environment', 'answer model']),
  );
});

test('a task without an answer is not played again by a second run, nor by one from the cache', async () => {
  const before = asked().length;
  await runWell(['run'], { cwd });
  await runWell(['run', '--from', 'rollout', '--offline'], { cwd });
  expect(asked()).toHaveLength(before);
  expect(folderHashes(join(run, 'dataset'))).toEqual(dataset);
});

test('its traces go out as ATIF and come back as rows', async () => {
  await runWell(['export', 'coa', '--to', 'atif', '--stage', 'rollout', '--out', 'atif'], { cwd });
  const files = readdirSync(join(cwd, 'atif')).map((name) => join('atif', name));
  const settings = ['--name', 'back', '--config', 'coa.yaml', '--until', 'filter'];
  await runWell(['import', 'atif', ...files, ...settings], { cwd });
  const filtered = JSON.parse(readFileSync(join(cwd, 'runs/back/filter/stage.json'), 'utf8'));
  expect(filtered).toMatchObject({ emitted_records: 7, dropped: { wrong_answer: 3, invalid_grammar: 1 } });
});

test('another system prompt makes the rollout stale, another filter does not', async () => {
  const config = readFileSync(join(cwd, 'coa.yaml'), 'utf8');
  const planned = async (more: string) => {
    writeFileSync(join(cwd, 'coa.yaml'), `${config}${more}`);
    return (await runCli(['run', '--dry-run'], { cwd })).stdout;
  };
  expect(await planned('filters: { min_interactions: { mhqa: 2 } }\n')).not.toMatch(/rollout.*stale/);
  expect(await planned('dataset: { system_prompt: Play. }\n')).toMatch(/rollout.*stale/);
  writeFileSync(join(cwd, 'coa.yaml'), config);
});

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeTinyTokenizer } from '../output/support/tinyTokenizer.ts';
import { startTinyServer } from '../teachers/support/startTinyServer.ts';
import { createProject } from './support/project.ts';
import { runCli } from './support/runCli.ts';

/** Settings that only a late stage uses, and can't: what is written beside the configuration, and what is said. */
const cases: readonly [
  name: string,
  settings: string,
  said: RegExp,
  prepare?: (folder: string) => unknown,
][] = [
  [
    'a chat template of another model',
    'dataset: { chat_template: mistral }',
    /qwen2\.5 has no (?:control )?token/,
  ],
  [
    'a chat template that is none',
    'dataset: { chat_template: own.jinja }',
    /dataset\.chat_template: own\.jinja is not a Jinja template/,
    (folder) => writeFileSync(join(folder, 'own.jinja'), '{% for message in messages %}'),
  ],
  [
    'a tokenizer that rewrites text',
    'dataset: { tokenizer: tiny.json }',
    /dataset\.tokenizer: .*rewrites text/,
    async (folder) => {
      const file = await writeTinyTokenizer(folder, { normalizer: { type: 'Lowercase' } });
      renameSync(file, join(folder, 'tiny.json'));
    },
  ],
  [
    'a format that needs a system prompt',
    'dataset: { formats: [ms_swift], system_prompt: "" }',
    /dataset\.formats: ms_swift needs a dataset\.system_prompt/,
  ],
  [
    'a model that no trainer can name',
    `training: { model: "a/\${b}" }`,
    /training\.model: expected text without/,
  ],
  ['a language that is unknown', 'filters: { languages: [xx] }', /filters\.languages: xx can't be told/],
  [
    'pass rates that are none',
    'filters: { pass_rate: { from: rates.jsonl, max: 0.5 } }',
    /rates\.jsonl, line 2: .*expected \{"task_id"/,
    (folder) =>
      writeFileSync(join(folder, 'rates.jsonl'), '{"task_id":"a","passed":1,"samples":2}\n{"task_id":"b"}\n'),
  ],
  [
    'embeddings without their key',
    'dedup: { trajectories: { semantic: { model: { model: e, endpoint: { base_url: "http://127.0.0.1:1/v1", api_key_env: NO_KEY } } } } }',
    /NO_KEY is not set.*dedup\.trajectories\.semantic\.model\.endpoint\.api_key_env/,
  ],
];

let teacher: Awaited<ReturnType<typeof startTinyServer>>;
beforeAll(async () => {
  teacher = await startTinyServer(() => ({ body: { data: [] } }));
});
afterAll(() => teacher.close());

test.each(cases)('%s is said before the first paid call', async (_name, settings, said, prepare) => {
  const endpoint = `{ model: m, endpoint: { base_url: "${teacher.baseUrl}", api_key_env: "", max_retries: 0 } }`;
  const cwd = createProject({ teacher: `{ model: ${endpoint} }`, more: settings });
  await prepare?.(cwd);
  const run = await runCli(['run'], { cwd });
  expect(run.stderr).toMatch(said);
  expect([run.code, run.stdout]).toEqual([2, '']);
  expect(teacher.requests).toEqual([]);
  expect(existsSync(join(cwd, 'runs/coa'))).toBe(false);
});

test('so is a key of a tool that is not set', async () => {
  const endpoint = `{ model: m, endpoint: { base_url: "${teacher.baseUrl}", api_key_env: "" } }`;
  const cwd = createProject({ teacher: `{ model: ${endpoint} }` });
  const file = join(cwd, 'coa.yaml');
  const wiki = '{ url: "http://127.0.0.1:1/retrieve", api_key_env: NO_KEY }';
  writeFileSync(file, readFileSync(file, 'utf8').replace('{ corpus: passages.jsonl }', wiki));
  const run = await runCli(['run'], { cwd });
  expect(run.stderr).toMatch(/NO_KEY is not set.*tools\.wiki_search/);
  expect(run.code).toBe(2);
  expect(teacher.requests).toEqual([]);
  expect(existsSync(join(cwd, 'runs/coa'))).toBe(false);
});

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import type { ProfileDeclaration } from '../../schemas/config/profiles.ts';
import { scriptEntrySchema } from '../../schemas/teacherScript.ts';
import { type CliResult, runCli, runWell } from '../cli/support/runCli.ts';
import { tracesOf } from '../support/keyEncodings.ts';
import { sharedFolder } from './support/sharedFolder.ts';
import { type Echoes, type EchoService, startEchoes } from './support/startEchoes.ts';

const tools = ['wiki_search', 'web_search', 'look_up', 'compare', 'consult'];
const afterTool = [...tools, 'reflection', 'suggested_answer'];
const profiles: ProfileDeclaration[] = [
  {
    name: 'asked',
    extends: 'mhqa_double_check',
    title: 'Questions to every service',
    tags: [
      { tag: 'web_search', kind: 'tool', body: 'text' },
      { tag: 'look_up', kind: 'tool', body: 'text' },
      { tag: 'compare', kind: 'tool', body: 'json' },
      { tag: 'consult', kind: 'tool', body: 'text' },
    ],
    follows: {
      plan: [...tools, 'suggested_answer'],
      ...Object.fromEntries(tools.map((tool) => [tool, afterTool])),
      reflection: ['plan', ...tools, 'suggested_answer'],
      double_check: ['plan', ...tools, 'answer'],
    },
    think_before: ['plan', ...tools, 'reflection', 'suggested_answer', 'double_check'],
    min_interactions: 2,
    instruction: 'Ask every service.',
  },
];

const question = 'Which is dearer, the lamp or the chair?';
const input = { query: 'lamp' };
const solution = scriptEntrySchema.parse({
  question,
  profile: 'asked',
  flaw: null,
  steps: [
    { action: 'plan', think: 'All of them.', plan: 'Ask all.' },
    ...tools.map((tool) => ({
      action: 'tool',
      tool,
      think: `Now ${tool}.`,
      input: tool === 'compare' ? { a: 'lamp', b: 'chair' } : input,
    })),
    { action: 'suggested_answer', think: 'The lamp.', answer: 'lamp' },
    { action: 'double_check', think: 'It fits.', score: 4 },
  ],
});

/** Of each service another one, with the signs that libraries escape. */
const keyOf = (service: EchoService) =>
  `sk-${createHash('sha256').update(service).digest('base64').slice(0, 24)}+a9=/_.Kz7=`;
const services: readonly EchoService[] = [
  'teacher',
  'embeddings',
  'custom',
  'custom_json',
  'wiki',
  'search',
  'mcp',
];
const keys = new Map(services.map((service) => [service, keyOf(service)]));
const env = Object.fromEntries([...keys].map(([service, key]) => [`KEY_${service.toUpperCase()}`, key]));

const cwd = sharedFolder();
let echoes: Echoes;

beforeAll(async () => {
  const find = (asked: string) => (asked === question ? solution : undefined);
  echoes = await startEchoes(
    { find },
    profiles[0]!.tags!.map(({ tag }) => tag),
  );
  const at = (service: EchoService) => ({
    url: `${echoes.baseUrl}/${service}`,
    api_key_env: `KEY_${service.toUpperCase()}`,
  });
  const endpointAt = (service: EchoService) => {
    const { url, api_key_env } = at(service);
    return { base_url: `${url}/v1`, api_key_env, max_retries: 0 };
  };
  const text = { type: 'string' };
  const config = {
    profiles,
    tasks: { sources: [{ file: 'tasks.jsonl', profile: 'asked' }] },
    teacher: { model: { model: 'm', endpoint: endpointAt('teacher') } },
    tools: {
      wiki_search: at('wiki'),
      web_search: { base_url: `${echoes.baseUrl}/search`, api_key_env: 'KEY_SEARCH', max_retries: 0 },
      custom: {
        look_up: { ...at('custom'), description: 'Looks up.' },
        compare: {
          ...at('custom_json'),
          description: 'Compares.',
          input_schema: { type: 'object', properties: { a: text, b: text }, required: ['a', 'b'] },
        },
      },
      mcp: { servers: { remote: at('mcp') }, tools: { consult: { server: 'remote' } } },
    },
    dedup: { trajectories: { semantic: { model: { model: 'e', endpoint: endpointAt('embeddings') } } } },
    dataset: { formats: [...datasetFormatNames] },
  };
  writeFileSync(join(cwd, 'coa.yaml'), stringify(config));
  writeFileSync(join(cwd, 'tasks.jsonl'), `${JSON.stringify({ question, answer: 'lamp' })}\n`);
});
afterAll(() => echoes.close());

/** Every byte that a run wrote or printed which gives a key away. */
function findsIn(run: string, ...printed: readonly CliResult[]): [where: string, finds: readonly string[]][] {
  const files = readdirSync(join(cwd, 'runs', run), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name));
  const texts: [string, string][] = [
    ...files.map((file): [string, string] => [file, readFileSync(file, 'utf8')]),
    ['names of files', files.join(' ')],
    ['terminal', printed.map(({ stdout, stderr }) => stdout + stderr).join('\n')],
  ];
  return [...keys].flatMap(([service, key]) =>
    texts
      .map(([where, text]): [string, string[]] => [`${service} in ${where}`, tracesOf(key, text)])
      .filter(([, finds]) => finds.length > 0),
  );
}

test('no byte of a run holds a key that all its services repeat in all encodings', async () => {
  const run = await runWell(['run', '--name', 'answers'], { cwd, env });
  expect(Object.fromEntries(echoes.keys)).toEqual(Object.fromEntries(keys));
  const more = await Promise.all([
    runCli(['view', 'answers', '--export'], { cwd, env }),
    runCli(['why', 'answers'], { cwd, env }),
    runCli(['cache', 'export', 'answers'], { cwd, env }),
    runCli(['export', 'answers', '--to', 'openai'], { cwd, env }),
  ]);
  expect(findsIn('answers', run, ...more)).toEqual([]);
  const rows = readFileSync(join(cwd, 'runs/answers/dataset/trajectories.jsonl'), 'utf8');
  expect(rows.split('[key]').length).toBeGreaterThan(tools.length);
  expect(rows.trim().split('\n')).toHaveLength(1);
});

describe('nor does one that fails for what a service says', () => {
  test.each(services)('%s', async (service) => {
    echoes.failing = service;
    const run = await runCli(['run', '--name', `fails-${service}`, '--debug'], { cwd, env });
    echoes.failing = undefined;
    expect(run.stdout + run.stderr).toMatch(/\[key\]|failed/);
    expect(findsIn(`fails-${service}`, run)).toEqual([]);
  });
});

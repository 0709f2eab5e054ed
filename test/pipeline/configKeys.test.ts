import { expect, test } from 'vitest';
import { z } from 'zod';
import { stageNames } from '../../contract/stageTable.ts';
import { configPaths, redactedConfig, resolveConfigPaths } from '../../pipeline/config/resolveConfigPaths.ts';
import { configKeys, configSchema } from '../../schemas/config/config.ts';
import { keyOf, plainText } from '../../schemas/config/keyMeaning.ts';
import { type KeyNode, keyTree } from '../../schemas/config/keyTree.ts';
import { configsOfEveryKind } from './support/configsOfEveryKind.ts';

/** What stands directly in a schema: in a wrapper, a list, a mapping or a choice. */
function partsOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  const { innerType, element, valueType, options } = schema._zod.def as unknown as Readonly<
    Record<string, z.core.$ZodType | readonly z.core.$ZodType[] | undefined>
  >;
  return [innerType, element, valueType, options].flat().filter((part) => part !== undefined);
}

function holdsKeys(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodObject || partsOf(schema).some(holdsKeys);
}

/** Whether there is text, or a value of any kind, of which nothing says whether it is a path or a secret. */
function holdsUntoldText(schema: z.core.$ZodType): boolean {
  const { path, secret } = z.globalRegistry.get(schema) ?? {};
  if (path !== undefined && secret !== undefined) return false;
  const isText = [z.ZodString, z.ZodStringFormat, z.ZodLazy].some((kind) => schema instanceof kind);
  return isText || partsOf(schema).some(holdsUntoldText);
}

/** Stages, and for keys of models the uses of a model. */
const known: readonly string[] = [...stageNames, 'chat', 'embeddings'];

/** What a key lacks, each with its dotted name. */
function problemsOf({ schema, meaning, model, keys, each }: KeyNode, name: string): string[] {
  const { description, shapes: stages } = meaning;
  const below = [...Object.entries(keys ?? {}), ...(each ? [['*', each] as const] : [])];
  const isItem = name.endsWith('*');
  const problems: string[] = [];
  if (!isItem && name !== '' && (description ?? '').length < 8) problems.push('has no description');
  if (below.length === 0) {
    if (!stages) problems.push('says not which stages it shapes');
    const unknown = stages?.filter((stage) => !known.includes(stage)) ?? [];
    if (unknown.length > 0) problems.push(`shapes ${unknown}, which is no stage`);
    if (!model && holdsKeys(schema)) problems.push('shapes stages in place of its keys');
    const isTold = meaning.path !== undefined && meaning.secret !== undefined;
    if (!model && !isTold && holdsUntoldText(schema))
      problems.push('says not whether it is a path or a secret');
  }
  return [
    ...problems.map((problem) => `${name} ${problem}`),
    ...below.flatMap(([key, node]) => problemsOf(node, name === '' ? key : `${name}.${key}`)),
  ];
}

test('every key of the configuration is described, and every leaf says what it shapes and holds', () => {
  expect(problemsOf(configKeys, '')).toEqual([]);
});

test('a key that says less is named', () => {
  const judgeKey = keyOf('judge');
  const planted = z.strictObject({
    fine: judgeKey(plainText.optional(), 'A fine key of the test'),
    bare: z.number().default(3),
    described: z.number().describe('A number, of what unit'),
    text: judgeKey(z.array(z.string()), 'Texts that may be paths'),
    anything: judgeKey(z.record(z.string(), z.json()), 'Values that may be paths'),
    whole: judgeKey(z.strictObject({ a: z.number() }).optional(), 'A section that answers for its keys'),
    typo: keyOf('jugde')(z.boolean(), 'A stage with a wrong name'),
    list: z.array(z.strictObject({ in_list: z.boolean() })).describe('A list of groups'),
  });
  expect(problemsOf(keyTree(planted), '')).toEqual([
    'bare has no description',
    'bare says not which stages it shapes',
    'described says not which stages it shapes',
    'text says not whether it is a path or a secret',
    'anything says not whether it is a path or a secret',
    'whole shapes stages in place of its keys',
    'typo shapes jugde, which is no stage',
    'list.*.in_list has no description',
    'list.*.in_list says not which stages it shapes',
  ]);
});

test('paths start at the folder of the configuration, names and services do not', () => {
  const config = configSchema.parse({
    ...configsOfEveryKind.everything,
    tools: {
      ...configsOfEveryKind.everything.tools,
      code: { cgroup: '../group' },
    },
  });
  const { tools, cache, dataset, runs_dir, tasks } = resolveConfigPaths(config, '/lab/conf');
  expect(tools.code).toMatchObject({ cgroup: '/lab/group' });
  expect(cache.file).toBe('/lab/conf/c.sqlite');
  expect(tasks.sources[0]!.file).toBe('/lab/conf/t.jsonl');
  expect(tools.mcp!.servers).toMatchObject({ one: { cwd: '/lab/conf' }, two: {} });
  expect(tools.mcp!.servers.two!.cwd).toBeUndefined();
  expect(dataset).toMatchObject({ tokenizer: 'qwen2.5', chat_template: 'chatml' });
  expect(runs_dir).toBe('/lab/conf/elsewhere');
});

test('each path of a list starts at the folder, and is an input', () => {
  const { tasks } = configsOfEveryKind.plain;
  const lists = configSchema.parse({
    tasks,
    filters: { rules: ['a.ts', '/b.ts'] },
    rl: { tasks: { leave_out: ['c.jsonl'] } },
    evaluation: { training_data: ['d.jsonl'] },
  });
  const resolved = resolveConfigPaths(lists, '/lab/conf');
  const paths = configPaths(resolved).filter(({ keys }) => keys[0] !== 'tasks');
  expect(paths.map(({ keys, path }) => `${keys.join('.')} ${path}`).sort()).toEqual([
    'evaluation.training_data.0 /lab/conf/d.jsonl',
    'filters.rules.0 /lab/conf/a.ts',
    'filters.rules.1 /b.ts',
    'rl.tasks.leave_out.0 /lab/conf/c.jsonl',
  ]);
});

test('every address is written down without what may be a key', () => {
  const config = configSchema.parse(configsOfEveryKind.everything);
  const secret = 'http://me:pass@host:1/v1?key=abc#x';
  config.tools.custom.ask!.url = secret;
  config.tools.mcp!.servers.two!.url = secret;
  config.tools.web_search!.base_url = secret;
  config.training.ray.address = secret;
  config.teacher.model.endpoint.pool[0]!.base_url = secret;
  const text = JSON.stringify(redactedConfig(config));
  expect(text).not.toMatch(/me:pass|key=abc/);
  expect(text.split('http://host:1/v1"').length).toBe(6);
});

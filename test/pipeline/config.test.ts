import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../base/ids.ts';
import type { JsonValue } from '../../base/json.ts';
import { nearestName } from '../../base/nearestName.ts';
import { UserError } from '../../base/userError.ts';
import { stageNames } from '../../contract/stageTable.ts';
import { parseConfigDocument } from '../../pipeline/config/configDocument.ts';
import { fingerprintConfig, settingNames } from '../../pipeline/config/fingerprintConfig.ts';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { parseConfig } from '../../pipeline/config/parseConfig.ts';
import { setConfigValues } from '../../pipeline/config/setConfigValues.ts';
import { differingKeys, stageHashes } from '../../pipeline/config/stageHashes.ts';
import { endpointOf } from '../../schemas/config/resolved/endpoints.ts';
import { apiKeyOf } from '../../schemas/config/resolved/sectionModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const tasks =
  'tasks: { sources: [{ file: t.jsonl, profile: mhqa }] }\ntools: { wiki_search: { corpus: w.jsonl } }\n';

function project(more = '', folder = temporaryFolder()): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 't.jsonl'), '{"question":"q","answer":"a"}\n');
  writeFileSync(join(folder, 'w.jsonl'), '{"id":"1","contents":"\\"T\\"\\nx"}\n');
  writeFileSync(join(folder, 'coa.yaml'), tasks + more);
  return join(folder, 'coa.yaml');
}

/** A text of a configuration file and the message that it must give. */
const messages: readonly [text: string, message: string][] = [
  [
    'teacher:\n  roles:\n    plnner: {}\n',
    'f.yaml:5: teacher.roles.plnner: unknown key; did you mean "planner"?',
  ],
  [
    'teacher:\n  roles:\n    planner:\n      model: m\n      endpoint: { timeout: 3 }\n',
    'f.yaml:7: teacher.roles.planner.endpoint.timeout: unknown key; did you mean "timeout_s"?',
  ],
  [
    'teacher: { backend: gpt }\n',
    'f.yaml:3: teacher.backend: expected one of openai, scripted, coa_model, got "gpt"',
  ],
  ['judge:\n  min_f1: 2\n', 'f.yaml:4: judge.min_f1: expected a number up to 1, got 2'],
  ['seed: 1.5\n', 'f.yaml:3: seed: expected a whole number, got 1.5'],
  ['filters: [1]\n', 'f.yaml:3: filters: expected a mapping of keys, got [1]'],
  [
    'teacher: { model: { model: scripted-teacher, endpoint: { base_url: "ftp://x" } } }\n',
    'f.yaml:3: teacher.model.endpoint.base_url: expected an http(s) URL, got "ftp://x"',
  ],
  [
    'teacher: { model: { model: scripted-teacher, endpoint: { base_url: "http://me:pass@host/v1?key=abc" } } }\n',
    'f.yaml:3: teacher.model.endpoint.base_url: expected an address without user name, password, query and fragment; a key belongs into an environment variable, which api_key_env names',
  ],
  [
    'name: a/b\n',
    'f.yaml:3: name: expected letters, digits, dots, dashes and underscores, at most 100, the first a letter or digit, got "a/b"',
  ],
  [
    'dataset: { zzzzzzzz: 1 }\n',
    'f.yaml:3: dataset.zzzzzzzz: unknown key; known: system_prompt, tokenizer, chat_template, template_variables, mask, boundary_tokens, cutoff_len, too_long, formats, preference, mix, validation_share, shard_mb',
  ],
];

test.each(messages)('%j is answered with file, line, key, expectation and what came', (text, message) => {
  expect(() => parseConfig(parseConfigDocument('f.yaml', tasks + text))).toThrow(message);
});

test.each([
  ['tools.web_search.max_results', 'did you mean "num"?'],
  ['tools.wiki_search.max_results', 'did you mean "top_k"?'],
  ['teacher.model.sampling.repetition_penalty', 'did you mean "extra_body"?'],
  ['judge.max_retries', 'did you mean "judge.model.endpoint.max_retries"?'],
  [
    'evaluation.max_steps',
    'known: benchmarks, max_unscored, best_of_n, training_data; max_steps is a key of training, teacher.budget',
  ],
])('--set %s is answered with the key that means it there', (key, advice) => {
  const sources = [{ file: 't.jsonl', profile: 'mhqa' }];
  const value = setConfigValues({ tasks: { sources } }, [`${key}=5`]);
  expect(() => parseConfig({ file: 'f.yaml', value, lineOf: () => undefined })).toThrow(
    `f.yaml: ${key}: unknown key; ${advice}`,
  );
});

test('an empty file and a list say what is missing', () => {
  expect(() => parseConfig(parseConfigDocument('f.yaml', ''))).toThrow(
    'f.yaml:1: tasks: expected a mapping of keys, got nothing',
  );
  expect(() => parseConfig(parseConfigDocument('f.yaml', '- 1\n'))).toThrow('f.yaml:1: expected');
});

test.each([
  ['an alias without anchor', 'seed: *nowhere\n', /^f\.yaml: not valid YAML: .*nowhere/],
  [
    'a bomb of aliases',
    `x: &x [${'1,'.repeat(99)}]\ny: &y [${'*x,'.repeat(99)}]\nz: [${'*y,'.repeat(99)}]\n`,
    /^f\.yaml: not valid YAML: .*alias/,
  ],
  ['an alias of what it stands in', 'x: &x [*x]\n', /^f\.yaml: not valid YAML: nested deeper than 200/],
  ['a mapping merged into itself', 'x: &x { <<: *x }\n', /^f\.yaml: not valid YAML: nested deeper than 200/],
  ['lists without end', `x: ${'['.repeat(2e5)}${']'.repeat(2e5)}\n`, /^f\.yaml.* not valid YAML: /],
  ['a second document', '---\nseed: 1\n', /^f\.yaml:3: not valid YAML: expected one document/],
])('%s is no configuration', (_, text, message) => {
  expect(() => parseConfigDocument('f.yaml', tasks + text)).toThrow(UserError);
  expect(() => parseConfigDocument('f.yaml', tasks + text)).toThrow(message);
});

test('a name of a few wrong letters is recognised, a stranger is not', () => {
  expect(nearestName('toknizer', ['system_prompt', 'tokenizer'])).toBe('tokenizer');
  expect(nearestName('elephant', ['system_prompt', 'tokenizer'])).toBeUndefined();
  expect(nearestName('/', ['e2'])).toBeUndefined();
  expect(nearestName('x', ['nq'])).toBeUndefined();
});

describe('the endpoint', () => {
  const file = 'teacher: { model: { model: m, endpoint: { base_url: "http://file/v1" } } }\n';

  test('comes from the flag before the environment before the file', async () => {
    const path = project(file);
    const env = { OPENAI_BASE_URL: 'http://environment/v1' };
    const flag = { baseUrl: 'http://flag/v1' };
    const addressOf = async (overrides: object, env: NodeJS.ProcessEnv) =>
      endpointOf((await loadConfig(path, overrides, { env })).config, 'planner').base_url;
    expect(await addressOf({}, {})).toBe('http://file/v1');
    expect(await addressOf({}, env)).toBe('http://environment/v1');
    expect(await addressOf(flag, env)).toBe('http://flag/v1');
  });

  test('named by a flag replaces an embedded teacher; named by the environment it does not', async () => {
    const path = project('teacher: { backend: scripted, script: coa.yaml }\n');
    const env = { OPENAI_BASE_URL: 'http://environment/v1' };
    expect((await loadConfig(path, {}, { env })).config.teacher.backend).toBe('scripted');
    expect((await loadConfig(path, { baseUrl: 'http://flag/v1' }, { env })).config.teacher.backend).toBe(
      'openai',
    );
  });

  test('needs its key unless the configuration says otherwise', async () => {
    const { config } = await loadConfig(project(file), {}, {});
    const endpoint = endpointOf(config, 'planner');
    expect(apiKeyOf('teacher.model', endpoint, { OPENAI_API_KEY: ' k ' })).toBe('k');
    expect(() => apiKeyOf('teacher.model', endpoint, { OPENAI_API_KEY: '' })).toThrow(
      /OPENAI_API_KEY is not set/,
    );
    expect(() => apiKeyOf('teacher.model', endpoint, { OPENAI_API_KEY: 'sk-a\nsk-b' })).toThrow(
      /^the API key in OPENAI_API_KEY holds a line break/,
    );
    expect(apiKeyOf('teacher.model', { ...endpoint, api_key_env: '' }, {})).toBeUndefined();
  });

  test.each(['http://me:pass@host:1/v1', 'http://host:1/v1?key=abc', 'http://host:1/v1#abc'])(
    '%s is refused, for it may hold a key that would not arrive',
    async (baseUrl) => {
      const words = /an address without user name, password, query and fragment/;
      await expect(loadConfig(project(), { baseUrl }, { env: {} })).rejects.toThrow(words);
      await expect(loadConfig(project(file), {}, { env: { OPENAI_BASE_URL: baseUrl } })).rejects.toThrow(
        words,
      );
      await expect(loadConfig(project(file), {}, { env: { OPENAI_BASE_URL: baseUrl } })).rejects.not.toThrow(
        /me:pass|=abc|#abc/,
      );
    },
  );
});

test('a run has the stages that its configuration asks for', async () => {
  const stagesOf = async (more: string) =>
    Object.keys(await fingerprintConfig(await loadConfig(project(more), {}, {})));
  const always = ['tasks', 'dedup', 'rollout', 'convert', 'judge', 'filter', 'export'];
  expect(await stagesOf('')).toEqual(always);
  expect(await stagesOf('dedup: { trajectories: {} }\n')).toEqual(always.toSpliced(6, 0, 'select'));
  expect(await stagesOf('select: {}\nbalance: { rules: [] }\n')).toEqual(
    always.toSpliced(6, 0, 'select', 'balance'),
  );
});

test.each([
  [
    'filters: { reflection: { drop_for: [chess] } }\n',
    /filters\.reflection\.drop_for\.0: unknown profile "chess"/,
  ],
  [
    'filters: { check: [nested_tags] }\n',
    /filters\.check\.0: unknown rule "nested_tags"; did you mean "nested_tag/,
  ],
  [
    'dataset:\n  mask:\n    tag_weights:\n      think: 0.5\n      obsrvation: 1\n',
    /coa\.yaml:7: dataset\.mask\.tag_weights\.obsrvation: no profile has a tag "obsrvation"; known: think, plan, wiki_search, reflection, answer$/,
  ],
  [
    'dataset: { mask: { tag_weights: { observation: 0.5 } } }\n',
    /:3: dataset\.mask\.tag_weights\.observation: <observation> is written by the environment, which is never trained; leave it out$/,
  ],
  ['filters: { languages: [english] }\n', /filters\.languages\.0: .*two letters/],
  ['filters: { pass_rate: { from: none.jsonl } }\n', /filters\.pass_rate\.from: no such file/],
  [
    'balance: { rules: [{ rule: temperature, by: [profile], temperature: 2, how: weight }] }\n',
    /balance\.rules\.0\.how: the formats of a dataset have no place/,
  ],
])('%j is refused before anything is done', async (more, words) => {
  await expect(loadConfig(project(more), {}, {})).rejects.toThrow(words);
});

describe('the configuration hash', () => {
  const versions = new Map(stageNames.map((stage) => [stage, 1]));
  const hashesOf = async (more: string, folder?: string) =>
    stageHashes(await fingerprintConfig(await loadConfig(project(more, folder), {}, {})), versions);
  const staleStages = async (more: string) => {
    const [before, after] = [await hashesOf(''), await hashesOf(more)];
    return stageNames.filter((stage) => before.stages.get(stage) !== after.stages.get(stage));
  };

  test('depends on the content of inputs, not on where they lie', async () => {
    const [a, b] = [temporaryFolder(), temporaryFolder()];
    expect(await hashesOf('', join(a, 'deep'))).toEqual(await hashesOf('', b));
    const before = await hashesOf('', a);
    writeFileSync(join(a, 'w.jsonl'), '{"id":"1","contents":"\\"T\\"\\nother"}\n');
    const after = stageHashes(
      await fingerprintConfig(await loadConfig(join(a, 'coa.yaml'), {}, {})),
      versions,
    );
    expect(after.stages.get('dedup')).toBe(before.stages.get('dedup'));
    expect(after.stages.get('rollout')).not.toBe(before.stages.get('rollout'));
  });

  test.each([
    [
      'teacher: { concurrency: 3, model: { model: scripted-teacher, endpoint: { timeout_s: 5, base_url: "http://x/v1", api_key_env: K } } }\n',
      undefined,
    ],
    ['runs_dir: elsewhere\n', undefined],
    ['filters: { duplicate_questions: keep }\n', 'dedup'],
    ['teacher: { model: { model: other } }\n', 'rollout'],
    ['seed: 8\n', 'rollout'],
    ['dataset: { system_prompt: hi }\n', 'convert'],
    ['convert: { thinking: verbatim }\n', 'convert'],
    ['convert: { failed_calls: keep }\n', 'convert'],
    ['judge: { min_f1: 0.5 }\n', 'judge'],
    // A team keeps to it while it works.
    ['filters: { min_interactions: { mhqa: 1 } }\n', 'rollout'],
    ['filters: { reflection: { rate: 0.5 } }\n', 'filter'],
    ['select: {}\n', 'select'],
    ['dataset: { cutoff_len: 10 }\n', 'export'],
  ])('%j makes stale from %s on', async (more, first) => {
    const stages = [...(await hashesOf(more)).stages.keys()];
    const expected = first === undefined ? [] : stages.slice(stages.indexOf(first as 'judge'));
    expect(await staleStages(more)).toEqual(expected);
  });

  test('depends on the version of a stage', async () => {
    const shaping = await fingerprintConfig(await loadConfig(project(), {}, {}));
    const before = stageHashes(shaping, versions);
    const after = stageHashes(shaping, new Map([...versions, ['convert', 2]]));
    expect(after.stages.get('rollout')).toBe(before.stages.get('rollout'));
    expect(after.stages.get('convert')).not.toBe(before.stages.get('convert'));
    expect(after.stages.get('export')).not.toBe(before.stages.get('export'));
  });
});

describe('differing keys', () => {
  test('are named by their paths', () => {
    const before = { a: { b: [1, { c: 2 }], d: 3 }, e: 4 };
    expect(differingKeys(before, { a: { b: [1, { c: 9 }] }, e: 4, f: 5 })).toEqual(['a.b.1.c', 'a.d', 'f']);
  });

  test('are named as the configuration has them, whatever they are grouped by in a fingerprint', async () => {
    const until = 'rollouts: { max: 4, until: first_correct }';
    const shapingOf = async (teacher: string, more: string) => {
      const text = `teacher: { model: { model: m }, ${teacher} }\njudge: { ${more} }\n`;
      return (await fingerprintConfig(await loadConfig(project(text), {}, {}))).rollout;
    };
    const before = await shapingOf(until, 'min_f1: 0.5');
    expect(settingNames(differingKeys(before, await shapingOf(until, 'min_f1: 0.7')))).toEqual([
      'judge.min_f1',
    ]);
    expect(settingNames(differingKeys(before, await shapingOf('rollouts: 4', 'min_f1: 0.5')))).toEqual([
      'teacher.rollouts',
    ]);
    const student = (text: string) =>
      `teacher: { backend: coa_model, model: { model: m } }\ndataset: { system_prompt: ${text} }\n`;
    const [one, other] = await Promise.all(
      ['One.', 'Other.'].map(async (text) =>
        fingerprintConfig(await loadConfig(project(student(text)), {}, {})),
      ),
    );
    expect(settingNames(differingKeys(one!.rollout, other!.rollout))).toEqual(['dataset.system_prompt']);
    const prompted = 'profiles: [{ name: mhqa, instruction: Play. }]\n';
    const changed = await fingerprintConfig(await loadConfig(project(student('One.') + prompted), {}, {}));
    expect(settingNames(differingKeys(one!.rollout, changed.rollout))).toEqual(['profiles']);
  });

  test('are none exactly when the values are equal', () => {
    const value = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(value, (a) => {
        expect(differingKeys({ a }, { a: structuredClone(a) })).toEqual([]);
      }),
    );
    fc.assert(
      fc.property(value, value, (a, b) => {
        fc.pre(canonicalJson(a) !== canonicalJson(b));
        expect(differingKeys({ a }, { a: b }).length).toBeGreaterThan(0);
      }),
    );
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { Document, isCollection } from 'yaml';
import { parseYaml, readConfigDocument } from '../../pipeline/config/configDocument.ts';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { configKeys, configSchema } from '../../schemas/config/config.ts';
import { leafValues } from '../../schemas/config/keyTree.ts';
import { withPresets } from '../../schemas/config/playerPresets.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { configsOfEveryKind, writeInputs } from './support/configsOfEveryKind.ts';

const folder = sharedFolder();
const file = join(folder, 'coa.yaml');
/** Without objects that stand twice, which YAML would write as aliases. */
const everything = JSON.parse(JSON.stringify(configsOfEveryKind.everything)) as object;

/** What `loadConfig` says of a text, one line for each problem, with `coa.yaml` in place of the path. */
async function problemsOf(text: string): Promise<string[]> {
  writeFileSync(file, text);
  const error: Error = await loadConfig(file, {}, { env: {} }).then(
    () => new Error(''),
    (thrown: Error) => thrown,
  );
  return error.message.split('\n').map((line) => line.replace(`${folder}/`, ''));
}

/** A wrong value for a key, or a key that there is not. */
interface Fault {
  readonly keys: readonly (string | number)[];
  /** In flow style, so that it stands on the line of its key. */
  readonly value: unknown;
}

/** The configuration with faults in it. Each has a mark, by which its line is found in the text. */
function plant(faults: readonly Fault[]): { readonly text: string; readonly lines: readonly number[] } {
  const document = new Document(everything);
  for (const [at, { keys, value }] of faults.entries()) {
    const node = document.createNode(typeof value === 'string' ? `${value}${at}z` : [[`planted${at}z`]]);
    if (isCollection(node)) node.flow = true;
    document.setIn(keys, node);
  }
  const text = document.toString({ lineWidth: 0 });
  const written = text.split('\n');
  return {
    text,
    lines: faults.map((_, at) => written.findIndex((line) => line.includes(`planted${at}z`)) + 1),
  };
}

/** Whether a problem is of a key, or of a part of it. */
function names(problem: string, { keys }: Fault, line: number): boolean {
  const rest = problem.split(`coa.yaml:${line}: ${keys.join('.')}`)[1];
  return problem.startsWith('coa.yaml') && rest !== undefined && /^[:.]/.test(rest);
}

/** Every fault that is one when it stands alone. */
const faults: Fault[] = [];

beforeAll(async () => {
  writeInputs(folder, everything);
  const leaves = leafValues(configKeys, everything).map(({ keys }) => keys);
  const sections = [...new Set(leaves.map((keys) => JSON.stringify(keys.slice(0, -1))))];
  const candidates = [
    ...leaves.flatMap((keys): Fault[] => [
      { keys, value: [] },
      { keys, value: 'planted' },
    ]),
    ...sections.map((section): Fault => ({ keys: [...JSON.parse(section), 'zzzzzz'], value: 'planted' })),
  ];
  for (const fault of candidates) {
    const { text, lines } = plant([fault]);
    const problems = await problemsOf(text);
    if (problems.some((problem) => names(problem, fault, lines[0]!))) faults.push(fault);
  }
});

test('nearly every key can be wrong in some way', () => {
  const leaves = leafValues(configKeys, everything).map(({ keys }) => keys.join('.'));
  const wrong = new Set(faults.map(({ keys }) => keys.join('.')));
  const never = leaves.filter((leaf) => !wrong.has(leaf));
  expect(faults.length).toBeGreaterThan(200);
  expect(never).toEqual([]);
});

/** What is read first: values, then profiles, then names and files. Each is only looked at where the one before is right. */
function stepOf({ keys, value }: Fault): 'values' | 'profiles' | 'names' {
  const { text } = plant([{ keys, value }]);
  const { error } = configSchema.safeParse(withPresets(parseYaml(text)));
  if (error) return 'values';
  return keys[0] === 'profiles' ? 'profiles' : 'names';
}

test.each(['values', 'names'])('all mistakes of %s are said at once, each with its line', async (step) => {
  const own = faults.filter((fault) => stepOf(fault) === step);
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(own, { minLength: 2, maxLength: Math.min(12, own.length) }),
      async (planted) => {
        const places = planted.map(({ keys }) => keys.join('.'));
        // Which keys there may be beside a wrong kind is not known.
        fc.pre(new Set(places).size === places.length && !places.some((place) => place.endsWith('.rule')));
        const { text, lines } = plant(planted);
        const problems = await problemsOf(text);
        const silent = planted.filter(
          (fault, at) => !problems.some((problem) => names(problem, fault, lines[at]!)),
        );
        expect({ silent, problems: silent.length > 0 ? problems : [] }).toEqual({ silent: [], problems: [] });
      },
    ),
    { numRuns: 30 },
  );
});

const head =
  'tasks: { sources: [{ file: t.jsonl, profile: mhqa }] }\ntools: { wiki_search: { corpus: w.jsonl } }\n';

describe('of what follows from a mistake nothing is said', () => {
  test.each([
    [
      'a misspelt section that a profile needs',
      'tasks: { sources: [{ file: t.jsonl, profile: mhqa }] }\ntools: { wiki_serch: { corpus: w.jsonl } }\n',
      ['coa.yaml:2: tools.wiki_serch: unknown key; did you mean "wiki_search"?'],
    ],
    [
      'a key that stands in the list below',
      'tasks: { sources: [{ file: t.jsonl, profile: math }], limit: 5 }\ntools: { code: {} }\n',
      ['coa.yaml:1: tasks.limit: unknown key; did you mean "tasks.sources.0.limit"?'],
    ],
    [
      'a misspelt key that must be there',
      'tasks: { sources: [{ flie: t.jsonl, profile: mhqa }] }\ntools: { wiki_search: { corpus: w.jsonl } }\n',
      ['coa.yaml:1: tasks.sources.0.flie: unknown key; did you mean "file"?'],
    ],
    [
      'a profile that can not work, and is named',
      `profiles:\n  - { name: own, extends: chess }\n${head.replace('mhqa', 'own')}`,
      [
        'coa.yaml:2: profiles.0.extends: no profile "chess" is built in or declared above; known: web, mhqa, code, math, mhqa_double_check, afm',
      ],
    ],
    [
      'a section that is no mapping',
      'tasks: { sources: [{ file: t.jsonl, profile: mhqa }] }\ntools: [1]\n',
      ['coa.yaml:2: tools: expected a mapping of keys, got [1]'],
    ],
  ])('%s', async (_, text, expected) => {
    expect(await problemsOf(text)).toEqual(expected);
  });
});

describe('what is allowed is said', () => {
  test.each([
    [
      'a tokenizer',
      'dataset: { tokenizer: qwen25 }\n',
      /^coa\.yaml:3: dataset\.tokenizer: no such file: .*qwen25; expected the path of one, or a name; did you mean "qwen2\.5"\? known: qwen2\.5$/,
    ],
    [
      'a chat template',
      'dataset: { chat_template: vicuna }\n',
      /^coa\.yaml:3: dataset\.chat_template: no such file: .*vicuna; expected the path of one, or a name; known: chatml, qwen3, llama3, mistral$/,
    ],
    [
      'a profile',
      'filters: { min_interactions: { wbe: 2 } }\n',
      /^coa\.yaml:3: filters\.min_interactions\.wbe: unknown profile "wbe"; did you mean "web"\? known: web, mhqa, /,
    ],
    [
      'a preset',
      'training: { preset: afm-web-7 }\n',
      /^coa\.yaml:3: training\.preset: expected one of afm-.*, got "afm-web-7"; did you mean "afm-web-7b"\?$/,
    ],
    [
      'a member by its kind',
      'balance: { rules: [{ rule: cpa, by: [profile], most: 3 }] }\n',
      /^coa\.yaml:3: balance\.rules\.0\.rule: expected one of cap, quota, temperature, got "cpa"; did you mean "cap"\?$/,
    ],
    [
      'the member that a value was read as',
      'filters: { min_interactions: { mhqa: 1.5 } }\n',
      /^coa\.yaml:3: filters\.min_interactions\.mhqa: expected a whole number, got 1\.5$/,
    ],
    [
      'a part of the member that a value was read as',
      'filters: { min_interactions: { mhqa: [2] } }\n',
      /^coa\.yaml:3: filters\.min_interactions\.mhqa: expected a number, or one of tools, agents, got \[2\]$/,
    ],
    [
      'every member, of a value of no kind',
      'filters: { min_interactions: five }\n',
      /^coa\.yaml:3: filters\.min_interactions: expected a number, or a mapping of keys, got "five"$/,
    ],
  ])('%s', async (_, more, expected) => {
    const [problem, ...others] = await problemsOf(head + more);
    expect(problem).toMatch(expected);
    expect(others).toEqual([]);
  });
});

describe('what is not text in UTF-8 is named as what it is', () => {
  const text = Buffer.from(head);
  test.each([
    ['UTF-16 with a mark', Buffer.from(`\ufeff${head}`, 'utf16le'), 'text in UTF-16; save it as UTF-8'],
    ['UTF-16 without one', Buffer.from(head, 'utf16le'), 'text in UTF-16; save it as UTF-8'],
    ['a gzip file', gzipSync(text), 'a gzip file, no text'],
    ['bytes of any kind', Buffer.from([1, 0, 3, 200, 7]), 'a binary file, no text'],
    ['Latin-1', Buffer.from('name: Müller\n', 'latin1'), 'a binary file, no text'],
  ])('%s', async (_, bytes, found) => {
    writeFileSync(file, bytes);
    await expect(readConfigDocument(file)).rejects.toThrow(
      `${file}: expected a configuration in YAML, found ${found}`,
    );
  });

  test('UTF-8 with a mark is text', async () => {
    writeFileSync(file, `\ufeff${head}`);
    expect((await readConfigDocument(file)).value).toHaveProperty('tasks');
  });

  test('a folder', async () => {
    const project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'mine.yaml'), head);
    await expect(readConfigDocument(project)).rejects.toThrow(
      `${project}: expected a configuration file, found a folder; name a file in it`,
    );
  });
});

test('what the command line and the environment say wrong is said first, beside the rest', async () => {
  writeFileSync(file, `${head}dataset: { tokenizer: none.json }\n`);
  const env = { OPENAI_BASE_URL: 'nowhere' };
  await expect(loadConfig(file, { tasksFile: 'none.jsonl' }, { env })).rejects.toThrow(
    /^the environment variable OPENAI_BASE_URL: expected an http\(s\) URL.*\n--tasks: no such file: \/.*none\.jsonl\n.*coa\.yaml:3: dataset\.tokenizer: no such file/,
  );
});

test('mistakes of YAML are said all at once', async () => {
  expect(await problemsOf(`${head}seed: 1\nseed: 2\nname: a\nname: b\n`)).toEqual([
    'coa.yaml:4: not valid YAML: Map keys must be unique',
    'coa.yaml:6: not valid YAML: Map keys must be unique',
  ]);
});

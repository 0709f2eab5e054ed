// Needs bubblewrap, python3, python3-numpy.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConfigDocument } from '../../pipeline/config/configDocument.ts';
import { ConfigProblems } from '../../pipeline/config/configProblems.ts';
import { profileRegistryOf } from '../../pipeline/config/declaredProfiles.ts';
import { fingerprintConfig } from '../../pipeline/config/fingerprintConfig.ts';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { parseConfig } from '../../pipeline/config/parseConfig.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const tasks =
  'tasks: { sources: [{ file: t.jsonl, profile: mhqa }] }\ntools: { wiki_search: { corpus: w.jsonl } }\n';

function registry(profiles: string) {
  const document = parseConfigDocument('f.yaml', tasks + profiles);
  const problems = new ConfigProblems(document);
  const found = profileRegistryOf(problems, parseConfig(document).profiles);
  problems.throwIfAny();
  return found;
}

describe('what is wrong with a declaration is said with file, line and key', () => {
  test.each([
    [
      'profiles: [{ name: web }]',
      'f.yaml:3: profiles.0.name: "web" is a built-in profile; take another name',
    ],
    [
      'profiles:\n  - { name: a, extends: mhqa }\n  - { name: a, extends: mhqa }',
      'f.yaml:5: profiles.1.name: there are two',
    ],
    [
      'profiles:\n  - { name: A b }',
      'f.yaml:4: profiles.0.name: expected a profile name is lower-case letters, digits and underscores, got "A b"',
    ],
    [
      'profiles:\n  - { name: a, extends: wbe }',
      'f.yaml:4: profiles.0.extends: no profile "wbe" is built in or declared above; did you mean "web"?',
    ],
    [
      'profiles:\n  - { name: a, extens: web }',
      'f.yaml:4: profiles.0.extens: unknown key; did you mean "extends"?',
    ],
    [
      'profiles:\n  - name: a\n    tags: [{ tag: answer, kind: answer }]',
      'f.yaml:4: profiles.0.first: expected a list, got nothing',
    ],
    [
      'profiles:\n  - name: a\n    extends: mhqa\n    follows:\n      plan:\n        [look_up]',
      "f.yaml:7: profiles.0.follows.plan.look_up: there is no tag look_up; the profile's tags are think, plan",
    ],
    [
      'profiles:\n  - name: a\n    extends: mhqa\n    tags: [{ tag: look_up, kind: tool }]\n    follows: { look_up: [answer] }',
      'profiles.0.follows: nothing leads to look_up',
    ],
    [
      'profiles:\n  - name: a\n    extends: web\n    tags:\n      - { tag: Look, kind: tool }',
      'f.yaml:7: profiles.0.tags.0.tag: expected a tag is lower-case letters, digits and underscores, got "Look"',
    ],
    [
      'profiles:\n  - name: a\n    extends: web\n    tags:\n      - { tag: look, kind: tol }',
      'f.yaml:7: profiles.0.tags.0.kind: expected one of thinking, plan, tool',
    ],
  ])('%j', (profiles, message) => {
    expect(() => registry(profiles)).toThrow(message);
  });
});

test.each(['mhqa', 'web', 'mhqa_double_check'])(
  'a new tool over %s stands wherever the first tool does',
  (base) => {
    const { profileOf } = registry(
      `profiles:\n  - { name: a, extends: ${base}, tags: [{ tag: look_up, kind: tool }] }`,
    );
    const profile = profileOf('a')!;
    const first = profile.tags.find(({ kind }) => kind === 'tool')!.tag;
    const lists = [
      profile.first,
      profile.think_before,
      profile.think_optional_before,
      ...Object.values(profile.follows),
    ];
    for (const list of lists) expect(list.includes('look_up')).toBe(list.includes(first));
    expect(profile.follows.look_up).toEqual(profile.follows[first]);
  },
);

test('a profile that extends another has its members where it says nothing', () => {
  const { profileOf } = registry(
    'profiles:\n  - { name: a, extends: web, min_interactions: 1 }\n  - { name: b, extends: a, title: B }',
  );
  expect(profileOf('b')).toEqual({ ...builtinProfiles.web, name: 'b', title: 'B', min_interactions: 1 });
});

test('a profile can do without tags of the one that it extends', () => {
  const { profileOf } = registry(
    'profiles:\n  - { name: a, extends: mhqa, drop_tags: [reflection] }\n  - { name: b, extends: a, title: B }',
  );
  const a = profileOf('a')!;
  expect(a.tags).toEqual(builtinProfiles.mhqa!.tags.filter(({ tag }) => tag !== 'reflection'));
  const { tags: _, instruction: __, ...rules } = a;
  expect(JSON.stringify(rules)).not.toContain('reflection');
  expect(profileOf('b')).toEqual({ ...a, name: 'b', title: 'B' });
  expect(() => registry('profiles:\n  - { name: a, extends: mhqa, drop_tags: [reflecton] }')).toThrow(
    'f.yaml:4: profiles.0.drop_tags.0: mhqa has no tag "reflecton"; did you mean "reflection"?',
  );
});

test('without a base the answer occurs once where nothing is said', () => {
  const { profileOf } = registry(`profiles:
  - name: bare
    tags: [{ tag: think, kind: thinking }, { tag: plan, kind: plan }, { tag: answer, kind: answer }]
    first: [plan]
    follows: { plan: [plan, answer] }
    think_before: [plan, answer]
    instruction: Answer.
`);
  expect(profileOf('bare')!.once).toEqual(['answer']);
});

const lookUp = `profiles:
  - name: mine
    extends: mhqa
    tags: [{ tag: look_up, kind: tool }]
    follows: { plan: [look_up, wiki_search], look_up: [look_up, answer] }
    think_before: [plan, wiki_search, look_up, reflection, answer]
`;
const custom = (tools: string) => `tools: { wiki_search: { corpus: w.jsonl }, custom: ${tools} }\n`;
const service = '{ url: "http://localhost:1/a", description: Looks up. }';

async function load(text: string) {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  for (const name of ['t.jsonl', 'w.jsonl']) writeFileSync(join(folder, name), '{}\n');
  const file = join(folder, 'f.yaml');
  writeFileSync(file, text);
  return loadConfig(file, {}, { env: {} });
}
const sources = 'tasks: { sources: [{ file: t.jsonl, profile: mine }] }\n';

describe('tools of declared tags', () => {
  test.each([
    [
      tasks + lookUp,
      /f\.yaml:6: profiles\.0\.tags: the tag look_up of mine has no tool; add tools\.custom\.look_up/,
    ],
    [
      sources + custom('{}') + lookUp,
      /needs the tool look_up, which is not configured; add tools\.custom\.look_up/,
    ],
    [
      sources + custom(`{ look_up: ${service}, lok_up: ${service} }`) + lookUp,
      /custom\.lok_up: no profile has a tool lok_up; did you mean "look_up"/,
    ],
    [
      sources + custom(`{ look_up: ${service}, code: ${service} }`) + lookUp,
      /custom\.code: code is built in; configure it as tools\.code/,
    ],
    [
      sources + custom('{ look_up: { url: "ftp://x", description: d } }') + lookUp,
      /custom\.look_up\.url: expected an http\(s\) URL/,
    ],
    [
      sources +
        custom('{ look_up: { url: "http://x", description: d, input_schema: { type: string } } }') +
        lookUp,
      /custom\.look_up\.input_schema: expected a JSON Schema of type object/,
    ],
    [
      sources +
        custom(
          '{ look_up: { url: "http://x", description: d, input_schema: { type: object, properties: { a: { type: nothing } } } } }',
        ) +
        lookUp,
      /custom\.look_up\.input_schema: not a JSON Schema that can be checked/,
    ],
  ])('%#', async (text, message) => {
    await expect(load(text)).rejects.toThrow(message);
  });

  test('a profile and its tool shape the run, where the tool is does not', async () => {
    const loaded = await load(sources + custom(`{ look_up: ${service} }`) + lookUp);
    const shaping = JSON.stringify(await fingerprintConfig(loaded));
    expect(shaping).toContain('"name":"mine"');
    expect(shaping).toContain('Looks up.');
    expect(shaping).not.toContain('localhost');
    const plain = await load(tasks);
    expect(JSON.stringify(await fingerprintConfig(plain))).not.toMatch(/profiles|look_up/);
  });
});

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseConfigDocument } from '../../pipeline/config/configDocument.ts';
import { ConfigProblems } from '../../pipeline/config/configProblems.ts';
import { profileRegistryOf } from '../../pipeline/config/declaredProfiles.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { builtinProfiles, webProfile } from '../../schemas/coa/profiles/builtin.ts';
import { renderGrammarDiagram, renderGrammarText } from '../../schemas/coa/renderGrammar.ts';
import { profileDeclarationSchema } from '../../schemas/config/profiles.ts';
import { renderGrammarSections } from '../../scripts/renderGrammarDocs.ts';
import { profileArbitrary } from '../support/profileArbitrary.ts';

const page = readFileSync(new URL('../../docs/grammar.md', import.meta.url), 'utf8');
const profiles = Object.values(builtinProfiles);

test('docs/grammar.md is the page of the tables (`npm run docs` writes it)', () => {
  expect(page.slice(page.indexOf('## In every profile\n'))).toBe(renderGrammarSections(profiles));
});

test('the profile that the page shows can be declared', () => {
  const document = parseConfigDocument('grammar.md', /```yaml\n([\s\S]*?)```/.exec(page)![1]!);
  const { profiles: declared } = document.value as { profiles: unknown[] };
  const registry = profileRegistryOf(
    new ConfigProblems(document),
    profileDeclarationSchema.array().parse(declared),
  );
  expect(registry.profileOf('catalogue')?.tags.map(({ tag }) => tag)).toContain('look_up');
});

const edges = (profile: Profile) =>
  renderGrammarDiagram(profile)
    .split('\n')
    .flatMap((line) => /^ {2}(\S+) --> (\S+)/.exec(line)?.slice(1).join(' ') ?? []);

/** Every pair of actions that the table lets follow each other in some case. */
function pairs({ follows, follows_when, first }: Profile): Set<string> {
  const covered = new Set(follows_when.filter(({ outcome }) => outcome !== 'poor').map(({ after }) => after));
  const general = Object.entries(follows).filter(([after]) => !covered.has(after));
  const all = [...general, ...follows_when.map(({ after, allowed }) => [after, allowed] as const)];
  return new Set([
    ...first.map((tag) => `[*] ${tag}`),
    ...all.flatMap(([after, allowed]) => allowed.map((tag) => `${after} ${tag}`)),
    'answer [*]',
  ]);
}

test.each(profiles)('the diagram of $name has the ways of its table, and no others', (profile) => {
  expect(new Set(edges(profile))).toEqual(pairs(profile));
});

test('the text of any profile names every tag', () => {
  fc.assert(
    fc.property(profileArbitrary, (profile) => {
      for (const { tag } of profile.tags) expect(renderGrammarText(profile)).toContain(`<${tag}>`);
      expect(new Set(edges(profile))).toEqual(pairs(profile));
    }),
    { numRuns: 100 },
  );
});

test('what depends on grades and scores is said', () => {
  const text = renderGrammarText(webProfile);
  expect(text).toMatch(/<reflection> +with a Poor grade, then <plan>\n/);
  expect(text).toMatch(/<double_check> +with score 3 or 4, then <answer>\n/);
  expect(text).not.toMatch(/<double_check> +otherwise/);
});

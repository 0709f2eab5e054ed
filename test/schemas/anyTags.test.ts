import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkGrammar } from '../../schemas/coa/check.ts';
import { escapeStructure, unescapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { createProfileRegistry, structuralTagsOf } from '../../schemas/coa/profileRegistry.ts';
import { builtinProfiles, mhqaProfile } from '../../schemas/coa/profiles/builtin.ts';
import { propertyRuns } from '../support/cases.ts';
import { profileArbitrary } from '../support/profileArbitrary.ts';

const tagName = fc.stringMatching(/^[a-z][a-z0-9_]{0,5}$/);
/** A set of tags, and a text that is full of them and of their escapes. */
const cases = fc.array(tagName, { minLength: 1, maxLength: 4 }).chain((tags) =>
  fc.record({
    tags: fc.constant(tags),
    text: fc
      .array(
        fc.oneof(
          fc.constantFrom('<', '</', '\\', '/', '>', ' ', '\n', 'observation', '[INST]', '<|x|>', 'é'),
          fc.constantFrom(...tags, ...tags.map((tag) => tag.toUpperCase())),
          fc.string({ unit: 'binary', maxLength: 3 }),
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join('')),
  }),
);

test('unescapeStructure undoes escapeStructure for any tags and any text, and no tag is left', () => {
  fc.assert(
    fc.property(cases, ({ tags, text }) => {
      const harmless = escapeStructure(text, tags).text;
      const structure = new RegExp(`</?(?:${tags.join('|')})[\\s/>]`, 'i');
      return unescapeStructure(harmless, tags) === text && !structure.test(harmless);
    }),
    { numRuns: propertyRuns },
  );
});

test('what a user declares is structure to every profile of the registry, and to none without it', () => {
  fc.assert(
    fc.property(profileArbitrary, (declared) => {
      const { profiles, tags, profileOf } = createProfileRegistry([declared]);
      for (const profile of profiles) {
        expect([...structuralTagsOf(profile)].sort()).toEqual([...tags].sort());
        for (const { tag, kind } of declared.tags) {
          if (kind === 'observation') continue;
          const text = `a <${tag}> b`;
          expect(escapeStructure(text, structuralTagsOf(profile)).text).toBe(`a <\\${tag}> b`);
          const found = checkGrammar(profile, [{ tag: 'think', origin: 'model', body: text }]);
          expect(found.map(({ code }) => code)).toContain('tag_in_text');
        }
      }
      expect(profileOf('mine')?.name).toBe('mine');
      expect(profiles.map(({ name }) => name)).toEqual([...Object.keys(builtinProfiles), 'mine']);
    }),
    { numRuns: 200 },
  );
  expect(escapeStructure('<look_up>', structuralTagsOf(mhqaProfile)).text).toBe('<look_up>');
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { libraryPrograms } from './support/libraryPrograms.ts';

const library = readFileSync(new URL('../library.ts', import.meta.url), 'utf8');

/** The names that the library exports, types included. */
const exported = [...library.matchAll(/^export (type )?\{(.*?)\}/gms)].flatMap(([, , names = '']) =>
  names.split(',').flatMap((name) => name.replace('type ', '').trim() || []),
);

test('the library names what a user needs, each in an example', () => {
  expect(library).not.toContain('export *');
  expect(exported.length).toBeGreaterThanOrEqual(40);
  expect(exported.length).toBeLessThanOrEqual(80);
  const words = new Set(libraryPrograms.join('\n').match(/\w+/g));
  expect(exported.filter((name) => !words.has(name))).toEqual([]);
});

test('no example imports what the library lacks', () => {
  const imported = libraryPrograms.flatMap((program) =>
    [...program.matchAll(/import \{([^}]*)\} from 'coa-distill'/g)].flatMap(([, names = '']) =>
      names.split(',').flatMap((name) => name.replace('type ', '').trim() || []),
    ),
  );
  expect(imported.filter((name) => !exported.includes(name))).toEqual([]);
});

import { readFileSync } from 'node:fs';

const documentation = readFileSync(new URL('../../docs/library.md', import.meta.url), 'utf8');

/** The programs that show how the library is used, in the order of its page. */
export const libraryPrograms = [...documentation.matchAll(/^```ts\n(.*?)^```$/gms)].map(
  ([, program = '']) => program,
);

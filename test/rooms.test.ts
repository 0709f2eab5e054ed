import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findCircles, findRoomViolations, roomFolders } from './support/rooms.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const SCANNED = [...roomFolders, 'examples'];

/** One file per rule that is broken, each with the rule that must name it. */
const PLANTED: readonly [title: string, file: string, source: string, rule: string][] = [
  [
    'the base imports nothing of ours',
    'base/a.ts',
    `import '../schemas/b.ts'`,
    'base may not import schemas: it imports nothing of ours',
  ],
  [
    'schemas import the base only',
    'schemas/a.ts',
    `import '../contract/b.ts'`,
    'schemas may not import contract: it imports only base',
  ],
  [
    'stages do not know output',
    'stages/export/a.ts',
    `import { b } from '../../output/b.ts'`,
    'stages may not import output',
  ],
  [
    'a stage does not know another',
    'stages/judge/a.ts',
    `import { b } from '../filter/b.ts'`,
    'stage judge may not import stage filter',
  ],
  ...[
    'output/rows/rowPieces.ts',
    'output/dataset/renderRow.ts',
    'schemas/rows/rowToWrite.ts',
    'schemas/rows/alpaca.ts',
  ].map((target): (typeof PLANTED)[number] => [
    `the check does not know ${target}`,
    'output/check/deep/a.ts',
    `import { b } from '../../../${target}'`,
    `the check may not import ${target}`,
  ]),
  [
    'a run knows no capability',
    'pipeline/a.ts',
    `import { b } from '../evaluation/b.ts'`,
    'pipeline may not import evaluation',
  ],
  [
    'a run knows its stages by what is registered',
    'pipeline/stages/a.ts',
    `import type { B } from '../../synthesis/b.ts'`,
    'pipeline may not import synthesis',
  ],
  [
    'stages do not know the making of tasks',
    'stages/tasks/a.ts',
    `import { b } from '../../synthesis/records/b.ts'`,
    'stages may not import synthesis',
  ],
  [
    'the making of tasks does not know evaluation',
    'synthesis/a.ts',
    `import { b } from '../evaluation/b.ts'`,
    'synthesis may not import evaluation',
  ],
  [
    'capabilities do not know each other',
    'evaluation/a.ts',
    `import { b } from '../training/b.ts'`,
    'evaluation may not import training',
  ],
  [
    'output does not know training',
    'output/a.ts',
    `import type { B } from '../training/b.ts'`,
    'output may not import training',
  ],
  [
    'training knows trainers of reinforcement learning by what is registered',
    'training/trainers/a.ts',
    `import { b } from '../../rl/trainers/b.ts'`,
    'training may not import rl',
  ],
  [
    'output knows formats of tasks by what is registered',
    'output/dataset/a.ts',
    `import { b } from '../../rl/dataset/b.ts'`,
    'output may not import rl',
  ],
  [
    'pages do not know the server',
    'viewer/pages/A.tsx',
    `import { b } from '../server/b.ts'`,
    'pages run in a browser',
  ],
  [
    'pages run nothing of other rooms',
    'viewer/pages/a.ts',
    `import { b } from '../../schemas/b.ts'`,
    'pages run in a browser',
  ],
  [
    'what pages run brings no package',
    'schemas/run/spending.ts',
    `import { z } from 'zod'`,
    'imports no package',
  ],
  [
    'pages know no types of rooms above',
    'viewer/pages/a.ts',
    `import type { B } from '../../cli/b.ts'`,
    'viewer may not import cli',
  ],
  [
    'the server does not know pages',
    'viewer/server/a.ts',
    `import { b } from '../pages/b.ts'`,
    'the server may not import pages',
  ],
  [
    'examples do not import the pipeline',
    'examples/a.ts',
    `import { b } from '../pipeline/run.ts'`,
    'examples may not import pipeline',
  ],
  [
    'what ships does not import tests',
    'cli/a.ts',
    `import { b } from '../test/support/b.ts'`,
    'cli may not import proof',
  ],
  [
    'the library is for users',
    'tools/a.ts',
    `import { b } from 'coa-distill'`,
    'tools may not import library',
  ],
  [
    'a computed path hides the room',
    'tools/a.ts',
    'await import(name)',
    'tools may not import a computed path',
  ],
  ['a file is named after something', 'tools/web/utils.ts', 'export {}', 'utils.ts says nothing'],
];

/** Every way to name another module; each leads from `teachers/` to `stages/`. */
const FORMS: readonly string[] = [
  `import { b } from '../stages/b.ts'`,
  `import type { B } from '../stages/b.ts'`,
  `import { type B } from '../stages/b.ts'`,
  `import * as b from "../stages/b.ts"`,
  `import '../stages/b.ts'`,
  `import {\n  b, // from 'somewhere'\n} from\n  '../stages/b.ts'`,
  `export { b } from '../stages/b.ts'`,
  `export type { B } from '../stages/b.ts'`,
  `export * from '../stages/b.ts'`,
  `const b = await import('../stages/b.ts')`,
  'const b = await import(`../stages/b.ts`)',
  `type B = import('../stages/b.ts').B`,
  `const b = require('../stages/b.ts')`,
  `import b = require('../stages/b.ts')`,
  `new Worker(new URL('../stages/b.ts', import.meta.url))`,
  `import { b } from '../tools/../stages/b.ts'`,
];

/** What the rules allow, and what only looks like an import. */
const CLEAN: readonly [file: string, source: string][] = [
  ['base/a.ts', `import fs from 'node:fs'; import { z } from 'zod'`],
  ['schemas/a.ts', `import { z } from 'zod'; import { b } from './b.ts'; import '../base/b.ts'`],
  ['contract/a.ts', `import type { Task } from '../schemas/task.ts'; import './b.ts'`],
  ['teachers/deep/a.ts', `import { b } from '../b.ts'; import type { C } from '../../contract/c.ts'`],
  ['stages/judge/a.ts', `import { b } from './deep/b.ts'; import { c } from '../../schemas/c.ts'`],
  ['stages/judge/deep/b.ts', `import { a } from '../a.ts'`],
  ['output/a.ts', `// import { b } from '../tools/b.ts'\nconst text = "import '../tools/b.ts'"`],
  ['output/b.ts', `const data = new URL('../tools/data.json', import.meta.url)`],
  ['output/check/a.ts', `import '../../schemas/rows/codecTable.ts'; import '../dataset/formatTable.ts'`],
  ['training/a.ts', `import { b } from '../output/b.ts'`],
  ['rl/trainers/a.ts', `import { b } from '../../training/trainers/b.ts'; import '../../output/c.ts'`],
  ['pipeline/compose.ts', `import '../stages/judge/a.ts'; await import(name)`],
  ['synthesis/a.ts', `import '../pipeline/b.ts'; import '../stages/dedup/c.ts'; import '../teachers/d.ts'`],
  ['capabilities.ts', `import './evaluation/a.ts'; import './synthesis/a.ts'`],
  [
    'operations/a.ts',
    `import '../pipeline/compose.ts'; import '../training/a.ts'; import '../evaluation/a.ts'`,
  ],
  ['viewer/a.ts', `import { b } from '../operations/b.ts'`],
  ['viewer/pages/A.tsx', `import type { B } from '../api.ts'; import { C } from './C.tsx'; import 'preact'`],
  ['cli/a.ts', `import '../viewer/a.ts'; import '../operations/a.ts'; await import(name)`],
  ['library.ts', `export * from './pipeline/compose.ts'`],
  ['bench/a.bench.ts', `import { b } from '../pipeline/compose.ts'`],
  ['test/a.test.ts', `import { b } from '../pipeline/compose.ts'`],
];

const paths = globSync([...SCANNED.map((room) => `${room}/**/*.{ts,tsx}`), 'capabilities.ts'], { cwd: ROOT });
const files = new Map(
  paths.map((file) => [file.split(path.sep).join('/'), readFileSync(path.join(ROOT, file), 'utf8')]),
);

test('the repository keeps the rules of the rooms', () => {
  expect(findRoomViolations(files)).toEqual([]);
});

test('no file imports itself by way of others, types included', () => {
  expect(findCircles(files)).toEqual([]);
});

test('a planted circle is found, of values and of types', () => {
  const circle = new Map([
    ['tools/a.ts', `import { b } from './deep/b.ts'`],
    ['tools/deep/b.ts', `import type { C } from '../c.ts'`],
    ['tools/c.ts', `export { a } from './a.ts'; import './d.ts'`],
    ['tools/d.ts', 'export {}'],
  ]);
  expect(findCircles(circle)).toEqual([['tools/a.ts', 'tools/deep/b.ts', 'tools/c.ts', 'tools/a.ts']]);
  circle.set('tools/c.ts', `import './d.ts'`);
  expect(findCircles(circle)).toEqual([]);
});

describe('a planted violation is found', () => {
  test.each(PLANTED)('%s', (_title, file, source, rule) => {
    const violations = findRoomViolations(new Map([[file, source]]));
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatchObject({ file, rule: expect.stringContaining(rule) });
  });

  test.each(FORMS)('written as %s', (source) => {
    expect(findRoomViolations(new Map([['teachers/a.ts', source]]))).toMatchObject([
      { rule: expect.stringContaining('teachers may not import stages') },
    ]);
  });
});

test('clean files are not flagged', () => {
  expect(findRoomViolations(new Map(CLEAN))).toEqual([]);
});

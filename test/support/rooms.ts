import path from 'node:path';
import { parseSync, Visitor } from 'vite';

/** An import, or a file, that breaks the rules of the rooms. */
export interface RoomViolation {
  /** Path of the offending file, relative to the repository, with `/`. */
  readonly file: string;
  /** What it imports, as written there; absent when the file's own name is the offence. */
  readonly specifier?: string;
  /** The rule that it breaks, as a sentence. */
  readonly rule: string;
}

/** Where a file lives. */
type Room = keyof typeof MAY_IMPORT | 'capabilities' | 'library' | 'examples' | 'proof' | 'other';

const GROUND = ['base', 'schemas', 'contract'] as const;
const PARTS = [...GROUND, 'stages', 'teachers', 'tools', 'output', 'calls'] as const;
const CAPABILITIES = ['training', 'rl', 'synthesis', 'evaluation'] as const;

/** What each room may import, besides itself, from the ground up: nothing above it and nothing beside it. */
const MAY_IMPORT = {
  base: [],
  schemas: ['base'],
  contract: ['base', 'schemas'],
  stages: GROUND,
  teachers: GROUND,
  tools: GROUND,
  output: GROUND,
  calls: GROUND,
  pipeline: PARTS,
  training: [...PARTS, 'pipeline'],
  rl: [...PARTS, 'pipeline', 'training'],
  synthesis: [...PARTS, 'pipeline'],
  evaluation: [...PARTS, 'pipeline'],
  operations: [...PARTS, 'pipeline', ...CAPABILITIES],
  viewer: [...PARTS, 'pipeline', ...CAPABILITIES, 'operations'],
  cli: [...PARTS, 'pipeline', ...CAPABILITIES, 'operations', 'viewer', 'capabilities'],
} as const;

/** Rooms that are absent here may import everything. */
const ALLOWED: Partial<Record<Room, readonly Room[]>> = {
  ...MAY_IMPORT,
  // What registers the capabilities.
  capabilities: CAPABILITIES,
  examples: [...GROUND, 'teachers', 'tools', 'stages', 'output', 'evaluation', 'library'],
};

/** The folders of the rooms, which hold everything that ships. */
export const roomFolders = Object.keys(MAY_IMPORT);

/** Names that say nothing about what a file is for. */
const EMPTY_NAMES = new Set(['utils.ts', 'helpers.ts', 'misc.ts', 'common.ts']);

/** The package's own name: importing it is importing `library.ts`. */
const OWN_NAME = 'coa-distill';

/**
 * Finds the imports that cross the rooms' walls, and files named after nothing.
 *
 * Sees `import`, `import type`, `export from`, `import()`, `import('…')` as a type, `require()` and
 * `new URL('…', import.meta.url)` (how workers are started). An `import()` of a computed path can't be checked
 * and is a violation outside `pipeline/` and `cli/`.
 *
 * @param files source text by path relative to the repository, with `/`
 */
export function findRoomViolations(files: ReadonlyMap<string, string>): RoomViolation[] {
  return [...files].flatMap(([file, source]) => [...checkName(file), ...checkImports(file, source)]);
}

function checkName(file: string): RoomViolation[] {
  const name = path.posix.basename(file);
  if (!EMPTY_NAMES.has(name)) return [];
  return [{ file, rule: `${name} says nothing: name the file after what it exports` }];
}

function checkImports(file: string, source: string): RoomViolation[] {
  const room = roomOf(file);
  const run = isRunByPages(file) ? findImports(file, source, 'values') : [];
  return findImports(file, source).flatMap((specifier) => {
    const rule =
      specifier === undefined
        ? checkComputed(file, room)
        : (checkSpecifier(file, specifier) ??
          (run.includes(specifier) ? checkRun(file, specifier) : undefined));
    return rule === undefined ? [] : [{ file, specifier: specifier ?? 'import(…)', rule }];
  });
}

/** Loads modules of the user's, in a process of its own. */
const MODULE_HOST = 'base/programs/moduleHost.ts';

function checkComputed(file: string, room: Room): string | undefined {
  if (file === MODULE_HOST) return undefined;
  if (ALLOWED[room] === undefined || room === 'pipeline' || room === 'cli') return undefined;
  return `${room} may not import a computed path: no rule can be checked on it`;
}

/** The rule that this import breaks, or undefined. */
function checkSpecifier(file: string, specifier: string): string | undefined {
  const target = resolveOwn(file, specifier);
  if (target === undefined) return undefined;
  const from = roomOf(file);
  const to = roomOf(target);
  const allowed = ALLOWED[from];
  if (allowed === undefined) return undefined;
  if (isSecondPath(file) && isWriter(target))
    return `the check may not import ${target}: it works masks out by a second path, without what writes rows`;
  if (from !== to) return allowed.includes(to) ? undefined : describe(from, to, allowed);
  if (!isPage(file) && isPage(target)) return 'the server may not import pages: a browser runs them';
  if (from === 'stages' && stageOf(file) !== stageOf(target)) {
    return `stage ${stageOf(file)} may not import stage ${stageOf(target)}: stages don't know each other`;
  }
  return undefined;
}

/** The rule that a value which a browser runs breaks by an import, or undefined. Packages are the pages' own choice alone. */
function checkRun(file: string, specifier: string): string | undefined {
  const target = resolveOwn(file, specifier);
  if (target === undefined && isPage(file)) return undefined;
  if (target === undefined) return `pages run it in a browser: it imports no package, which they would carry`;
  if (isPage(target) || PAGES_MAY_RUN.includes(target)) return undefined;
  return `pages run in a browser: they import nothing of ours but types and ${PAGES_MAY_RUN.join(', ')}`;
}

function describe(from: Room, to: Room, allowed: readonly Room[]): string {
  const may = allowed.length === 0 ? 'nothing of ours' : `only ${allowed.join(', ')}`;
  return `${from} may not import ${to}: it imports ${may}`;
}

/** The path of one of our files, or undefined for a package or a Node module. */
function resolveOwn(file: string, specifier: string): string | undefined {
  if (specifier === OWN_NAME || specifier.startsWith(`${OWN_NAME}/`)) return 'library.ts';
  if (!/^\.{1,2}(\/|$)/.test(specifier)) return undefined;
  return path.posix.join(path.posix.dirname(file), specifier);
}

function roomOf(file: string): Room {
  const [top = ''] = file.split('/');
  if (top in MAY_IMPORT) return top as keyof typeof MAY_IMPORT;
  if (top === 'library.ts') return 'library';
  if (top === 'capabilities.ts') return 'capabilities';
  if (top === 'examples') return 'examples';
  // package.json and the like are neither; `..` leads out of the repository.
  return top === 'test' || top === 'bench' ? 'proof' : 'other';
}

/** Whether a file is of the check, which works the mask out from ids and tags alone. */
function isSecondPath(file: string): boolean {
  return file.startsWith('output/check/');
}

/** What makes rows and masks. Of the layouts, the check reads the table of codecs and what it says of a row. */
function isWriter(target: string): boolean {
  if (target.startsWith('schemas/rows/')) return !CHECK_MAY_READ_ROWS_BY.includes(target);
  return /^output\/(rows|mix|dataset\/(?!formatTable\.ts|datasetFormat\.ts))/.test(target);
}

/** Each holds no writer: the codecs do, and nothing but the table of them is asked to read. */
const CHECK_MAY_READ_ROWS_BY = ['codecTable', 'datasetRow', 'tokens', 'chatTurns'].map(
  (name) => `schemas/rows/${name}.ts`,
);

/** How figures are written, and what lists are filtered by: a browser runs these. Types are free, since nothing of them is left to run. */
const PAGES_MAY_RUN = [
  'base/figures.ts',
  'base/statistics/reduceSeries.ts',
  'base/sum.ts',
  'evaluation/records/scoreFigures.ts',
  'schemas/groundingText.ts',
  'schemas/run/spending.ts',
  'viewer/index/fields.ts',
];

/** Whether a file is of the viewer's pages, which a browser runs. */
function isPage(file: string): boolean {
  return file.startsWith('viewer/pages/') || file.endsWith('.tsx');
}

function isRunByPages(file: string): boolean {
  return isPage(file) || PAGES_MAY_RUN.includes(file);
}

/** The folder of a stage, or the file itself when it lies in `stages/` directly. */
function stageOf(file: string): string {
  return file.split('/')[1] ?? '';
}

/** All specifiers that a source imports in any way, or in all but types; undefined stands for a computed one. */
function findImports(file: string, source: string, which: 'all' | 'values' = 'all'): (string | undefined)[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`);
  const found: (string | undefined)[] = [];
  const add = (node: unknown) => found.push(literalText(node));
  new Visitor({
    ImportDeclaration: (node) => {
      if (which === 'all' || node.importKind !== 'type') add(node.source);
    },
    ExportAllDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => {
      if (node.source) add(node.source);
    },
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
    TSExternalModuleReference: (node) => add(node.expression),
    CallExpression: (node) => {
      if (node.callee.type === 'Identifier' && node.callee.name === 'require') add(node.arguments[0]);
    },
    NewExpression: (node) => {
      const [first, base] = node.arguments;
      const isUrl = node.callee.type === 'Identifier' && node.callee.name === 'URL';
      // Only modules: a URL of a data file is reading, not importing.
      if (isUrl && base && /\.[cm]?[jt]s$/.test(literalText(first) ?? '')) add(first);
    },
  }).visit(program);
  return found;
}

/** The text of a string or of a template without holes. */
function literalText(node: unknown): string | undefined {
  const { type, value, quasis } = node as {
    type: string;
    value?: unknown;
    quasis?: { value: { cooked: string } }[];
  };
  if (type === 'Literal' && typeof value === 'string') return value;
  if (type === 'TemplateLiteral' && quasis?.length === 1) return quasis[0]?.value.cooked;
  return undefined;
}

/**
 * Finds circles of imports, types included: each as the files on it, in the order of the imports.
 *
 * @param files source text by path relative to the repository, with `/`
 */
export function findCircles(files: ReadonlyMap<string, string>): string[][] {
  const imports = new Map([...files].map(([file, source]) => [file, ownImports(file, source, files)]));
  const circles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) circles.push([...path.slice(at), file]);
    if (at >= 0 || done.has(file)) return;
    for (const next of imports.get(file)!) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return circles;
}

function ownImports(file: string, source: string, files: ReadonlyMap<string, string>): string[] {
  return findImports(file, source).flatMap((specifier) => {
    const target = specifier === undefined ? undefined : resolveOwn(file, specifier);
    return target !== undefined && files.has(target) ? [target] : [];
  });
}

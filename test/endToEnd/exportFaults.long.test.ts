import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createExportRun } from '../../bench/support/exportRun.ts';
import { type CliResult, runCli, runWell } from '../cli/support/runCli.ts';
import { qwenJson } from '../output/support/qwenTokenizer.ts';
import { writeTinyTokenizer } from '../output/support/tinyTokenizer.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { copyOf, temporaryFolder } from '../support/temporaryFolder.ts';
import { sharedFolder } from './support/sharedFolder.ts';

const shared = sharedFolder();
/** A run in which everything is done but the export, and a copy with the dataset. */
const waiting = join(shared, 'waiting');
const exported = join(shared, 'exported');

beforeAll(async () => {
  mkdirSync(waiting);
  await createExportRun({ folder: waiting, rows: 400 });
  cpSync(waiting, exported, { recursive: true });
  await runWell(['run'], { cwd: exported });
});

const datasetOf = (cwd: string) => folderHashes(join(cwd, 'runs/coa/dataset'));

/** Each limit is met by another file, or by the same file at another place. */
const fileLimits = [1, 64, 400];

describe('a disk that is full', () => {
  test.each(fileLimits)(
    'during an export, at files of %i KB, leaves no dataset, and the next run makes it whole',
    async (kb) => {
      const cwd = copyOf(waiting);
      expectOneLine(await runCli(['run'], { cwd, through: fileLimit(kb) }), [
        /EFBIG/,
        /ulimit -f|free space|too large/,
      ]);
      expect(existsSync(join(cwd, 'runs/coa/dataset'))).toBe(false);
      await runWell(['run'], { cwd });
      expect(datasetOf(cwd)).toEqual(datasetOf(exported));
    },
  );

  test('for real: a small file system says ENOSPC, and holds no dataset afterwards', async () => {
    const cwd = copyOf(waiting);
    const outside = temporaryFolder();
    // The run is copied into memory of 3 MB; what is left of it afterwards is copied out.
    const script = `cp -r runs coa.yaml *.jsonl "$0" && cd "$0" && { "$@"; code=$?; ls runs/coa > ${outside}/left; exit $code; }`;
    const small = join(cwd, 'small');
    const through = [
      'bwrap',
      '--dev-bind',
      '/',
      '/',
      '--size',
      `${3 << 20}`,
      '--tmpfs',
      small,
      'bash',
      '-c',
      script,
      small,
    ];
    expectOneLine(await runCli(['run'], { cwd, through }), [/dataset.*the disk is full \(ENOSPC\)/]);
    expect(readFileSync(join(outside, 'left'), 'utf8').split('\n')).not.toContain('dataset');
  });

  test.each(fileLimits)(
    'while a format is added, at files of %i KB, leaves the old dataset as it was',
    async (kb) => {
      const cwd = copyOf(exported);
      const before = datasetOf(cwd);
      const adding = ['export', 'coa', '--to', 'hugging_face'];
      expectOneLine(await runCli(adding, { cwd, through: fileLimit(kb) }), [/EFBIG/]);
      expect(datasetOf(cwd)).toEqual(before);
      expect(existsSync(join(cwd, 'runs/coa/dataset.partial'))).toBe(false);
    },
  );
});

describe('a file system that is read-only', () => {
  test('below the dataset: no dataset, and the next run makes it', async () => {
    const cwd = copyOf(waiting);
    const partial = join(cwd, 'runs/coa/dataset.partial');
    mkdirSync(partial);
    const through = ['bwrap', '--dev-bind', '/', '/', '--ro-bind', partial, partial, '--chdir', cwd];
    expectOneLine(await runCli(['run'], { cwd, through }), [
      /cannot write .*dataset\.partial: .*\((EBUSY|EROFS)\)/,
    ]);
    expect(existsSync(join(cwd, 'runs/coa/dataset'))).toBe(false);
    await runWell(['run'], { cwd });
    expect(datasetOf(cwd)).toEqual(datasetOf(exported));
  });

  test('around a dataset that a format is added to: it stays as it was', async () => {
    const cwd = copyOf(exported);
    const before = datasetOf(cwd);
    const through = ['bwrap', '--dev-bind', '/', '/', '--ro-bind', cwd, cwd, '--chdir', cwd];
    expectOneLine(await runCli(['export', 'coa', '--to', 'hugging_face'], { cwd, through }), [
      /EROFS/,
      /read-only/,
    ]);
    expect(datasetOf(cwd)).toEqual(before);
  });
});

/** What puts a wrong tokenizer into a project, and gives the lines that name it. */
type Wrong = (cwd: string) => string | Promise<string>;

test.each<[title: string, wrong: Wrong, words: readonly RegExp[]]>([
  [
    'a file that is not there',
    () => 'dataset: { tokenizer: gone/tokenizer.json }',
    [/dataset\.tokenizer: no such file: .*gone\/tokenizer\.json/],
  ],
  [
    'a file that was cut in half',
    (cwd) => {
      const whole = JSON.stringify(qwenJson);
      writeFileSync(join(cwd, 'half.json'), whole.slice(0, whole.length / 2));
      return 'dataset: { tokenizer: half.json }';
    },
    [/dataset\.tokenizer: .*half\.json is not a tokenizer\.json/],
  ],
  [
    'the tokenizer of another model than the one to be trained',
    async (cwd) => {
      const model = join(cwd, 'model');
      mkdirSync(model);
      cpSync(await writeTinyTokenizer(cwd), join(model, 'tokenizer.json'));
      return `training: { model: ${model} }`;
    },
    [
      /dataset\.tokenizer: qwen2\.5 is not the tokenizer of training\.model/,
      /token ".*": \d+ in the dataset's, /,
      /set dataset\.tokenizer to .*model\/tokenizer\.json/,
    ],
  ],
])('%s is refused before anything is done', async (_, wrong, words) => {
  const cwd = copyOf(waiting);
  appendFileSync(join(cwd, 'coa.yaml'), `${await wrong(cwd)}\n`);
  expectOneLine(await runCli(['run', '--name', 'new'], { cwd }), words);
  expect(existsSync(join(cwd, 'runs/new'))).toBe(false);
});

function fileLimit(kb: number): readonly string[] {
  return ['bash', '-c', `ulimit -f ${kb}; exec "$@"`, 'bash'];
}

function expectOneLine(result: CliResult, words: readonly RegExp[]): void {
  // Progress lines may stand before it; the message itself is the last line.
  const message = result.stderr.trimEnd().split('\n').at(-1) ?? '';
  expect(message).toMatch(/^error: /);
  for (const word of words) expect(message).toMatch(word);
  expect(result.stderr).not.toMatch(/^ {4}at /m);
  expect(result.code).toBe(2);
  expect(result.stdout).toBe('');
}

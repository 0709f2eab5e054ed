import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createGzip, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { matchedFiles } from '../../base/rows/rowFilesAt.ts';
import { ProblemList } from '../../base/userError.ts';
import { inputIdentity } from '../../pipeline/config/hashInput.ts';
import { emittedTasks, readTasks } from '../support/readTasks.ts';
import { temporaryFile, temporaryFolder } from '../support/temporaryFolder.ts';

const saved = path.resolve(import.meta.dirname, '../fixtures/savedTasks');

const rowText = (id: string) => `${JSON.stringify({ id, question: `Who is ${id}?`, answer: 'a' })}\n`;
const textOf = (...ids: readonly string[]) => ids.map(rowText).join('');

/** Writes files into a new folder, which is returned. */
function files(contents: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(contents)) temporaryFile(name, content, folder);
  return folder;
}

/** The tasks at a path, as `id file:row`. */
async function placesAt(at: string): Promise<string[]> {
  const tasks = emittedTasks(await readTasks([{ path: at }]));
  return tasks.map(({ given_id, source }) => `${given_id} ${source.file}:${source.row}`);
}

/** Blank lines of a megabyte each. */
const blank = `${' '.repeat(2 ** 20)}\n`.repeat(20);

describe('packed files are read as what they hold', () => {
  const csv = 'id,question,answer\nx,Who is x?,a\ny,Who is y?,a\n';
  const list = JSON.stringify([
    { id: 'x', question: 'Who is x?', answer: 'a' },
    { id: 'y', question: 'Y?', answer: 'b' },
  ]);
  test.each([
    ['a.jsonl.gz', gzipSync(textOf('x', 'y')), [1, 2]],
    ['two members.jsonl.gz', Buffer.concat([gzipSync(rowText('x')), gzipSync(rowText('y'))]), [1, 2]],
    ['a.JSONL.GZ', gzipSync(textOf('x', 'y')), [1, 2]],
    ['a.jsonl.zst', zstdCompressSync(textOf('x', 'y')), [1, 2]],
    [
      'two frames.jsonl.zst',
      Buffer.concat([zstdCompressSync(rowText('x')), zstdCompressSync(rowText('y'))]),
      [1, 2],
    ],
    ['a.csv.gz', gzipSync(csv), [2, 3]],
    ['a.json.zst', zstdCompressSync(list), [1, 2]],
  ])('%s', async (name, bytes, rows) => {
    expect(await placesAt(temporaryFile(name, bytes))).toEqual([
      `x ${name}:${rows[0]}`,
      `y ${name}:${rows[1]}`,
    ]);
  });

  test.each([
    [
      'cut off',
      'a.jsonl.gz',
      gzipSync(textOf('x', 'y')).subarray(0, -6),
      /a\.jsonl\.gz: broken gzip file \(.*\); get it again$/,
    ],
    [
      'cut off',
      'a.jsonl.zst',
      zstdCompressSync(textOf('x', 'y')).subarray(0, -6),
      /a\.jsonl\.zst: broken Zstandard file \(/,
    ],
    ['no gzip', 'a.jsonl.gz', textOf('x'), /expected gzip by its ending, found plain text/],
    [
      'of the other kind',
      'a.jsonl.gz',
      zstdCompressSync(textOf('x')),
      /expected gzip by its ending, found a Zstandard file/,
    ],
    [
      'a workbook',
      'a.xlsx',
      Buffer.from('PK\x03\x04 sheet'),
      /found a ZIP file; save its sheet as a CSV file/,
    ],
    ['an old workbook', 'a.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0]), /save its sheet as a CSV file/],
    [
      'packed twice over',
      'a.parquet.gz',
      gzipSync(gzipSync('x')),
      /expected text in the gzip file, found a gzip file; unpack it/,
    ],
  ])('one that is %s is named: %s', async (_, name, bytes, message) => {
    await expect(placesAt(temporaryFile(name, bytes))).rejects.toThrow(message);
  });

  test.each([
    ['a.jsonl.gz', gzipSync(blank)],
    ['a.jsonl.zst', zstdCompressSync(blank)],
    ['a.json.zst', zstdCompressSync(blank)],
  ])('a bomb ends with a message: %s', async (name, bytes) => {
    await expect(placesAt(temporaryFile(name, bytes))).rejects.toThrow(
      /holds more than 200 times its \d+ bytes/,
    );
  });
});

test('a large packed file is read with little memory', async () => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'large.jsonl.gz');
  const gzip = createGzip({ level: 1 });
  gzip.on('data', (bytes: Buffer) => appendFileSync(file, bytes));
  const ended = new Promise((resolve) => gzip.on('end', resolve));
  for (let block = 0; block < 30; block += 1) {
    const rows = Array.from({ length: 2_000 }, (_, at) =>
      JSON.stringify({ id: `${block}-${at}`, question: `${Math.random()} `.repeat(120), answer: 'a' }),
    );
    if (!gzip.write(`${rows.join('\n')}\n`)) await new Promise((resolve) => gzip.once('drain', resolve));
  }
  gzip.end();
  await ended;
  const module = path.resolve(import.meta.dirname, '../../base/rows/openRowFile.ts');
  const program = `
    import { openRowFile } from ${JSON.stringify(module)};
    let rows = 0;
    let bytes = 0;
    for await (const { value } of (await openRowFile(${JSON.stringify(file)})).rows()) {
      rows += 1;
      bytes += value.question.length;
    }
    const { readFileSync } = await import('node:fs');
    // Not resourceUsage(): its maximum begins with the size of the process that started this one.
    const kilobytes = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
    console.log(JSON.stringify({ rows, bytes, kilobytes }));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  const { rows, bytes, kilobytes } = JSON.parse(stdout) as Record<string, number>;
  expect(rows).toBe(60_000);
  expect(bytes).toBeGreaterThan(120e6);
  expect(kilobytes).toBeLessThan(200_000);
});

describe('several files', () => {
  test('a folder is read file by file, in order, at any depth', async () => {
    const folder = files({
      'b.jsonl': textOf('b'),
      'deep/a.jsonl.gz': gzipSync(textOf('a')),
      '.hidden.jsonl': textOf('h'),
      'README.md': 'no rows',
    });
    const top = path.basename(folder);
    expect(await placesAt(folder)).toEqual([`b ${top}/b.jsonl:1`, `a ${top}/deep/a.jsonl.gz:1`]);
  });

  test('a pattern stands for the files that match, in order', async () => {
    const folder = files({
      'set/x-2.jsonl': textOf('two'),
      'set/x-1.jsonl': textOf('one'),
      'set/y.jsonl': textOf('other'),
    });
    expect(await placesAt(path.join(folder, 'set/x-*.jsonl'))).toEqual([
      'one x-1.jsonl:1',
      'two x-2.jsonl:1',
    ]);
    expect(await placesAt(path.join(folder, '*/{y,x-1}.jsonl'))).toEqual([
      'one set/x-1.jsonl:1',
      'other set/y.jsonl:1',
    ]);
    await expect(placesAt(path.join(folder, 'z*.jsonl'))).rejects.toThrow(/z\*\.jsonl: no file matches/);
  });

  test('a file whose name looks like a pattern is itself', async () => {
    const folder = files({ 'a[1].jsonl': textOf('x'), 'a1.jsonl': textOf('y') });
    expect(await placesAt(path.join(folder, 'a[1].jsonl'))).toEqual(['x a[1].jsonl:1']);
    expect(matchedFiles(path.join(folder, 'a[1].jsonl'))).toBeUndefined();
  });

  test('limit and ids hold over all of them', async () => {
    const folder = files({ 'a.jsonl': textOf('x', 'y'), 'b.jsonl': textOf('z', 'x') });
    const at = path.join(folder, '*.jsonl');
    expect(emittedTasks(await readTasks([{ path: at, limit: 3 }]))).toHaveLength(3);
    await expect(placesAt(at)).rejects.toThrow('b.jsonl line 2: duplicate id "x", first in a.jsonl line 1');
  });

  test('a pattern is named by what its files hold', async () => {
    const folder = files({ 'a.jsonl': textOf('x'), 'b.jsonl': textOf('y') });
    const at = path.join(folder, '*.jsonl');
    const before = await inputIdentity(at);
    expect(before).toMatch(/^a\.jsonl sha256:\w{64}, b\.jsonl sha256:\w{64}$/);
    writeFileSync(path.join(folder, 'b.jsonl'), textOf('z'));
    expect(await inputIdentity(at)).not.toBe(before);
  });
});

describe('what save_to_disk of datasets wrote', () => {
  test('a folder of two shards', async () => {
    const tasks = emittedTasks(await readTasks([{ path: path.join(saved, 'one') }]));
    expect(tasks.map(({ source }) => `${source.file}:${source.row}`)).toEqual(
      [0, 1].flatMap((shard) => [1, 2, 3].map((row) => `one/data-0000${shard}-of-00002.arrow:${row}`)),
    );
    expect(tasks[5]).toMatchObject({
      given_id: 'q5',
      question: 'Wie heißt Nummer 5?',
      answers: ['a5', 'A 5'],
      extra: { level: 5, meta: { from: 'test', score: 2.5 }, big: '9007199254740997', none: null },
    });
    expect(tasks[5]!.extra!.asked).toMatch(/^2024-01-06/);
  });

  test('one of its files, and one of several splits', async () => {
    expect(await placesAt(path.join(saved, 'one/data-00001-of-00002.arrow'))).toHaveLength(3);
    expect(await placesAt(path.join(saved, 'splits/test'))).toEqual([
      'q4 test/data-00000-of-00001.arrow:1',
      'q5 test/data-00000-of-00001.arrow:2',
    ]);
    await expect(placesAt(path.join(saved, 'splits'))).rejects.toThrow(
      `splits: it holds several splits; name one of them: ${saved}/splits/train, ${saved}/splits/test`,
    );
  });

  test('its list of files counts, not what else lies there', async () => {
    const folder = temporaryFolder();
    cpSync(path.join(saved, 'one'), folder, { recursive: true });
    cpSync(path.join(saved, 'splits/test/data-00000-of-00001.arrow'), path.join(folder, 'cache-0a1b.arrow'));
    cpSync(path.join(saved, 'splits/test/data-00000-of-00001.arrow'), path.join(folder, 'zzz.arrow'));
    expect(await placesAt(folder)).toHaveLength(6);
  });

  test('damage ends with a message', async () => {
    const folder = temporaryFolder();
    cpSync(path.join(saved, 'one'), folder, { recursive: true });
    writeFileSync(path.join(folder, 'data-00001-of-00002.arrow'), Buffer.alloc(500, 7));
    await expect(placesAt(folder)).rejects.toThrow(
      /data-00001-of-00002\.arrow: expected Arrow by its ending, found plain text/,
    );
  });
});

describe('a file that is not what its ending says is named as what it is', () => {
  test.each([
    [
      'a.jsonl',
      gzipSync(textOf('x')),
      'expected text by its ending, found a gzip file; rename it to what it is',
    ],
    ['a.json', zstdCompressSync('[]'), 'expected text by its ending, found a Zstandard file'],
    [
      'a.csv',
      Buffer.from('PK\x03\x04rest of a spreadsheet'),
      'expected text by its ending, found a ZIP file',
    ],
    ['a.jsonl', Buffer.from('PAR1 and so on'), 'expected text by its ending, found a parquet file'],
    ['a.parquet', gzipSync('x'), 'expected parquet by its ending, found a gzip file'],
    ['a.csv', Buffer.from('\ufeffid,question\n', 'utf16le'), 'found text in UTF-16; save it as UTF-8'],
    [
      'a.csv',
      'id;question;answer\n1;Who?;me\n',
      'a.csv line 1: columns are separated by semicolons, not commas',
    ],
    ['a.csv', 'id\tquestion\tanswer\n', 'a.csv line 1: columns are separated by tabs, not commas'],
  ])('%s %#', async (name, content, message) => {
    await expect(placesAt(temporaryFile(name, content))).rejects.toThrow(message);
  });
});

test('what is wrong with rows is said once, of the first twenty that are bad', async () => {
  const folder = files({ 'a.jsonl': textOf('x') + '{"question":"q"}\n'.repeat(30), 'b.jsonl': '[]\n' });
  const error: unknown = await placesAt(folder).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ProblemList);
  const { lines, advice } = error as ProblemList;
  expect(lines).toEqual([
    `${path.basename(folder)}/a.jsonl line 2: no answer (column answers or answer or Answer); the row has "question": name the right one with columns.answers, or its layout with preset, and so in 19 more`,
  ]);
  expect(advice).toBe(
    'fix the rows, of which the first 20 are named, or leave them out with --set tasks.on_bad_task=skip',
  );
});

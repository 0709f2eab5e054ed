import { copyFileSync, existsSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPassageIndex } from '../../tools/wikiSearch/buildPassageIndex.ts';
import { openIndexFile } from '../../tools/wikiSearch/openPassageIndex.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';

const root = sharedFolder();

const file = (name: string) => path.join(root, name);
const MIB = 1024 * 1024;
const line = (contents: string, id: string | number = 'x') => `${JSON.stringify({ id, contents })}\n`;
const userError = (message: RegExp) => ({ name: 'UserError', message: expect.stringMatching(message) });

describe('a corpus by a stranger', () => {
  const deep = `{"id":"d","contents":"x","more":${'['.repeat(400_000)}${']'.repeat(400_000)}}`;
  test.each<[string, string | Buffer, RegExp]>([
    ['long.jsonl', line('a'.repeat(MIB)), /long\.jsonl: line 1 has more than 1048576 bytes/],
    ['blank.jsonl', ' '.repeat(2 * MIB), /blank\.jsonl: line 1 has more/],
    ['bomb.jsonl.gz', gzipSync(Buffer.alloc(256 * MIB, 0x61)), /bomb\.jsonl\.gz: line 1 has more/],
    ['open.jsonl', `${line('a')}${'['.repeat(900_000)}`, /open\.jsonl:2: not JSON/],
    [
      'bytes.jsonl',
      Buffer.concat([Buffer.from(line('a')), Buffer.from([0x22, 0xff, 0x22])]),
      /:2: not UTF-8/,
    ],
  ])('%s is told by its line', async (name, bytes, message) => {
    writeFileSync(file(name), bytes);
    await expect(buildPassageIndex(file(name), file('never.sqlite'))).rejects.toMatchObject(
      userError(message),
    );
    expect(existsSync(file('never.sqlite'))).toBe(false);
  });

  test('NULs, halves of surrogate pairs and deep values of other keys are read as they are', async () => {
    const odd = `{"id":"odd","contents":"\\"O\\u0000dd\\"\\nbefore \\u0000 after \\ud800 half"}`;
    writeFileSync(file('odd.jsonl'), `${odd}\n${deep}\n`);
    await buildPassageIndex(file('odd.jsonl'), file('odd.sqlite'));
    const index = openIndexFile(file('odd.sqlite'));
    for (const word of ['before', 'after', 'half'])
      expect(index.search(word, 1)).toMatchObject([{ number: 1 }]);
    expect(index.read([1]).get(1)!.contents).toBe('"O\u0000dd"\nbefore \u0000 after \ufffd half');
    index.close();
  });
});

describe('an index by a stranger', () => {
  const good = () => file('good.sqlite');
  beforeAll(async () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => line(`"Lot ${at}"\nsalt of kind${at}`, at));
    writeFileSync(file('good.jsonl'), lines.join(''));
    await buildPassageIndex(file('good.jsonl'), good());
  });

  test('a folder, a cut file and other bytes are refused', () => {
    copyFileSync(good(), file('cut.sqlite'));
    truncateSync(file('cut.sqlite'), 20_000);
    writeFileSync(file('noise.sqlite'), Buffer.alloc(100_000, 'SQLite format 3\0'));
    for (const name of ['.', 'cut.sqlite', 'noise.sqlite'])
      expect(() => openIndexFile(file(name))).toThrowError(
        expect.objectContaining(userError(/not a passage index of version|damaged/)),
      );
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Field, Int32, Int64, List, Struct, Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import { expect, test } from 'vitest';
import { openRowFile } from '../../../base/rows/openRowFile.ts';
import { UserError } from '../../../base/userError.ts';
import { cases } from '../../support/cases.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const mutations = cases(8, 'COA_ARROW_MUTATIONS');
/** One list offset of a good file of 40 rows was overwritten: the decoder took it for two thousand million places. */
const endless = fileURLToPath(new URL('../../fixtures/arrow/endless.arrow', import.meta.url));

const turn = new Struct([new Field('role', new Utf8()), new Field('content', new Utf8(), true)]);
const columns = {
  input_ids: new List(Field.new({ name: 'item', type: new Int32(), nullable: true })),
  messages: new List(Field.new({ name: 'item', type: turn, nullable: true })),
  note: new Utf8(),
  seen: new Int64(),
};
const rows = Array.from({ length: 1_200 }, (_, at) => ({
  input_ids: at % 7 === 0 ? [] : [at, at * at],
  messages: [
    { role: 'user', content: `question ${at}` },
    { role: 'assistant', content: at % 5 === 0 ? null : 'answer' },
  ],
  note: at % 3 === 0 ? null : `é ${at}`,
  seen: BigInt(at) * 2n ** 40n,
}));

function arrowBytes(content: typeof rows): Buffer {
  const vectors = Object.entries(columns).map(([name, type]) => [
    name,
    vectorFromArray(
      content.map((row) => row[name as keyof typeof columns]),
      type,
    ),
  ]);
  return Buffer.from(tableToIPC(new Table(Object.fromEntries(vectors)), 'stream'));
}

function arrowFile(bytes: Uint8Array): string {
  const file = join(temporaryFolder(), 'rows.arrow');
  writeFileSync(file, bytes);
  return file;
}

async function read(file: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const read of (await openRowFile(file)).rows()) {
    expect(read.row).toBe(found.length + 1);
    found.push('value' in read && read.value);
  }
  return found;
}

test('lists, structures, nulls and integers of 64 bits are read as they were written', async () => {
  const plain = rows.map((row) => ({ ...row, seen: Number(row.seen) }));
  expect(await read(arrowFile(arrowBytes(rows)))).toEqual(plain);
});

test('a file that keeps the decoder busy for ever is refused', async () => {
  await expect(read(endless)).rejects.toThrow(
    /endless\.arrow: not a readable Arrow stream after row \d+ \(.*\); write it again/,
  );
});

test('a missing file is named', async () => {
  await expect(read('/nowhere/rows.arrow')).rejects.toThrow(UserError);
});

test('damage ends in rows or in a message', async () => {
  const good = arrowBytes(rows.slice(0, 40));
  for (let n = 0; n < mutations; n++) {
    const file = arrowFile(damaged(good, n));
    await read(file).catch((error) => expect(error, `mutation ${n}`).toBeInstanceOf(UserError));
  }
}, 600_000);

/** A bit, a count, a stretch or the end of a file made wrong; the same for the same number. */
function damaged(good: Buffer, n: number): Buffer {
  const bytes = Buffer.from(good);
  const place = (Math.imul(n + 1, 0x9e3779b1) >>> 0) % (bytes.length - 4);
  if (n % 4 === 0) bytes[place]! ^= 1 << (n % 8);
  if (n % 4 === 1) bytes.set([0xff, 0xff, 0xff, 0x7f], place);
  if (n % 4 === 2) bytes.fill(n % 3 === 0 ? 0 : 255, place, Math.min(place + 40, bytes.length));
  return n % 4 === 3 ? bytes.subarray(0, place) : bytes;
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Field, Int32, Int64, List, Struct, Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openRowFile } from '../../../base/rows/openRowFile.ts';
import { UserError } from '../../../base/userError.ts';
import { cases } from '../../support/cases.ts';
import { damageArbitrary, damaged } from '../../support/damage.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

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
  await fc.assert(
    fc.asyncProperty(damageArbitrary, async (damage) => {
      await read(arrowFile(damaged(good, damage))).catch((error) => expect(error).toBeInstanceOf(UserError));
    }),
    { numRuns: cases(8, 'COA_ARROW_MUTATIONS') },
  );
}, 600_000);

import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SpillFile } from '../../../base/files/spillFile.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

test('bytes come back from memory and from disk, and nothing stays there', () => {
  const folder = temporaryFolder();
  const file = new SpillFile(folder);
  const lengths = [3, 2_800_000, 0, 2_400_000, 6_000_000, 5, 3_600_000, 1_200_000];
  const lists = lengths.map((length, list) => Buffer.alloc(length, `${list * 7_919} `));
  const starts = lists.map((list) => file.append(list));
  const into = new Uint8Array(6_000_000);
  for (const [at, list] of lists.entries())
    expect(Buffer.from(file.read(starts[at]!, list.length, into)).equals(list)).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
  file.close();
});

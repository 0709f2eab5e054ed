import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SharedDatabase } from '../../pipeline/workers/database/sharedDatabase.ts';
import { openSharedAnswers } from '../../pipeline/workers/sharedAnswers.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('a part whose copy ends while the list of parts is read is not copied again', async () => {
  const part = { id: '1', is_open: false, is_copied: false, mb: 0 };
  const listedTwice = Promise.withResolvers<void>();
  const marked = Promise.withResolvers<void>();
  let lists = 0;
  let copies = 0;
  const query = async (sql: string): Promise<readonly object[]> => {
    if (sql.includes('FROM answer_1')) {
      copies += 1;
      await listedTwice.promise;
    } else if (sql.startsWith('UPDATE part')) marked.resolve();
    else if (sql.includes('FROM part')) {
      lists += 1;
      // The second list is of the moment before the copy ends, and arrives after it.
      if (lists === 2) {
        listedTwice.resolve();
        await marked.promise;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return [{ ...part }, { ...part, id: '2', is_open: true }];
    }
    return [];
  };
  const file = join(temporaryFolder(), 'cache.sqlite');
  const database = { query } as unknown as SharedDatabase;
  const answers = await openSharedAnswers(database, '1', { file, mostMb: 1, log: () => {} });
  onTestFinished(() => answers.close());
  await answers.look();
  await answers.look();
  expect(copies).toBe(1);
});

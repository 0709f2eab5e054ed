/** Work for tests of threads: what becomes of a number, or how it fails. */
import { threadId } from 'node:worker_threads';
import type { OpenWork } from '../../../../base/threads/threadMessages.ts';
import { UserError } from '../../../../base/userError.ts';

export interface NumberItem {
  readonly number: number;
  readonly how: 'add' | 'user error' | 'error' | 'exit';
}

export interface NumberResult {
  readonly sum: number;
  readonly threadId: number;
}

export const open: OpenWork<{ readonly added: number }, NumberItem, NumberResult> = ({ added }) => {
  if (added < 0) throw new UserError('expected a number from 0 up');
  return async ({ number, how }) => {
    if (how === 'user error') throw new UserError(`rows.jsonl line ${number}: expected a word`);
    if (how === 'error') throw new TypeError('broken', { cause: new Error(`cause ${number}`) });
    if (how === 'exit') process.exit(3);
    return { sum: number + added, threadId };
  };
};

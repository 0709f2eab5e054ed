import { test } from 'vitest';
import { writeModelTokenizer } from '../../output/support/modelTokenizers.ts';
import { cases } from '../../support/cases.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { replayRandomTrajectories } from './support/replayAll.ts';

const games = cases(1_000, 'COA_REPLAYS');

test('Qwen2.5: many random trajectories are played again to the byte', () =>
  replayRandomTrajectories({ tokenizer: 'qwen2.5', chat_template: 'chatml' }, games / 2));

test('Llama 3: many random trajectories are played again to the byte', async () => {
  const tokenizer = await writeModelTokenizer(temporaryFolder(), 'llama3');
  await replayRandomTrajectories({ tokenizer, chat_template: 'llama3' }, games / 2);
});

import { expect, test } from 'vitest';
import { writeModelTokenizer } from '../../output/support/modelTokenizers.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { replayRandomTrajectories } from './support/replayAll.ts';

test.each([
  ['Qwen2.5', async () => ({ tokenizer: 'qwen2.5', chat_template: 'chatml' })],
  [
    'Llama 3',
    async () => ({
      tokenizer: await writeModelTokenizer(temporaryFolder(), 'llama3'),
      chat_template: 'llama3',
    }),
  ],
])(
  '%s: random trajectories are played again to the byte, from the training row of every step',
  async (_, student) => {
    await expect(replayRandomTrajectories(await student(), 50)).resolves.toBeUndefined();
  },
);

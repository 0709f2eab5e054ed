import { expect, test } from 'vitest';
import { stageRow } from '../../contract/stageTable.ts';
import { stageFailureSchema } from '../../schemas/outcome.ts';

const failure = { cause: 'unscored', message: 'no majority', retryable: true };

test.each([
  ['a ledger', { ...failure, cut_short: true, evidence: { votes: [] } }, true],
  ['a verdict that was tried to the end', { ...failure, evidence: { votes: [] } }, false],
])("that a judge's model could not be asked on is read from %s", (_, line, isUnasked) => {
  expect(stageRow('judge').endpoint!.isUnasked(stageFailureSchema.parse(line))).toBe(isUnasked);
});

import { cpSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Finding } from '../../output/check/rules.ts';
import { openTokenText, type TokenText } from '../../output/check/tokenText.ts';
import { formatTable } from '../../output/dataset/formatTable.ts';
import { datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { check } from './check/support/checkRows.ts';
import { convertedTrajectories, sampleDataset } from './check/support/sampleDataset.ts';
import { writeModelTokenizer } from './support/modelTokenizers.ts';
import { qwenText } from './support/qwenText.ts';

/** Checks the formats where no manifest and no trajectory says anything about them. */
function checkElsewhere(folder: string, formats: readonly string[], tokenText: TokenText) {
  const copy = temporaryFolder();
  for (const format of formats)
    cpSync(path.join(folder, format), path.join(copy, format), {
      recursive: true,
      filter: (file) =>
        !/\.(?:md|py|sh|yaml)$|dataset_info\.json$|state\.json$|deepspeed.*\.json$/.test(file),
    });
  return check(copy, { tokenText });
}

const isRanking = ({ file }: Finding) => file.endsWith('dpo/train.jsonl');

test.for([
  ['chatml', {}],
  ['qwen3', {}],
  ['llama3', {}],
  ['mistral', {}],
  ['chatml', { mask: { thinking: false } }],
  ['chatml', { mask: { last_steps: 1 } }],
] as const)('every format that we write is clean: %s %j', async ([preset, changed]) => {
  const isMasked = 'mask' in changed;
  const isOurs = preset === 'chatml';
  const tokenizer = isOurs ? 'qwen2.5' : await writeModelTokenizer(temporaryFolder(), preset);
  const formats = datasetFormatNames.filter(
    (name) =>
      (name !== 'afm' || (isOurs && !isMasked)) &&
      (name !== 'ms_swift' || preset !== 'mistral') &&
      // Tasks have no masks.
      formatTable[name].records !== 'task',
  );
  const config = { ...changed, formats, tokenizer, chat_template: preset };
  const folder = await sampleDataset(convertedTrajectories(6), config);
  const tokenText = isOurs ? qwenText : await openTokenText(tokenizer);
  const checked = await check(folder, { tokenText });
  expect(checked.findings).toEqual([]);
  for (const { profiles } of checked.totals.parts) expect(profiles).toEqual({ mhqa: 6 });
  for (const canonical of ['trajectories.jsonl', 'pairs.jsonl'])
    expect(await check(path.join(folder, canonical), { tokenText })).toMatchObject({
      findings: [],
      totals: { parts: [{ rows: 6, checked: 0, profiles: { mhqa: 6 } }] },
    });
  if (!isMasked) {
    const elsewhere = await checkElsewhere(folder, formats, tokenText);
    // What LLaMA-Factory trains of its ranking layout: every answer, tools' words included.
    const [ranking, others] = [isRanking, (finding: Finding) => !isRanking(finding)].map((wanted) =>
      elsewhere.findings.filter(wanted),
    );
    expect(others).toEqual([]);
    expect(new Set(ranking!.map(({ rule }) => rule))).toEqual(new Set(['observation_trained']));
    expect(elsewhere.totals.parts).toHaveLength(checked.totals.parts.length);
  }
  expect(checked.totals.parts.map((part) => part.rows)).toEqual(
    formats.flatMap((name) => (name === 'axolotl' || name === 'dpo' ? [6, 6] : [6])),
  );
});

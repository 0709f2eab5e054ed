import { cpSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { rowFilesAtAll } from '../../base/rows/rowFilesAt.ts';
import { openTokenText, type TokenText } from '../../output/audit/tokenText.ts';
import { formatTable } from '../../output/dataset/formatTable.ts';
import { lintFile } from '../../output/lint/lintFile.ts';
import { rowLinter } from '../../output/lint/lintRows.ts';
import type { AuditFinding } from '../../schemas/audit.ts';
import { datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import { collected } from '../lint/collected.ts';
import { lintOptions } from '../lint/lintOptions.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { audit } from './audit/support/auditRows.ts';
import { convertedTrajectories, sampleDataset } from './audit/support/sampleDataset.ts';
import { writeModelTokenizer } from './support/modelTokenizers.ts';
import { qwenText } from './support/qwenText.ts';

/** Rows that lint finds in each file of a folder that holds trajectories, with what it says of them. */
async function lintFolder(folder: string) {
  const files = await rowFilesAtAll([folder]);
  const linted = await Promise.all(files.map((file) => collected(lintFile(file, rowLinter(lintOptions)))));
  return {
    rows: Object.fromEntries(
      files.flatMap((file, at) =>
        linted[at]!.length > 0 ? [[file.path.slice(folder.length + 1), linted[at]!.length]] : [],
      ),
    ),
    findings: linted.flat().flatMap((row) => row.findings),
  };
}

/** Audits the formats where no manifest and no trajectory says anything about them. */
function auditElsewhere(folder: string, formats: readonly string[], tokenText: TokenText) {
  const copy = temporaryFolder();
  for (const format of formats)
    cpSync(path.join(folder, format), path.join(copy, format), {
      recursive: true,
      filter: (file) =>
        !/\.(?:md|py|sh|yaml)$|dataset_info\.json$|state\.json$|deepspeed.*\.json$/.test(file),
    });
  return audit(copy, { tokenText });
}

const isRanking = ({ file }: AuditFinding) => file.endsWith('dpo/train.jsonl');

test.for([
  ['chatml', {}],
  ['qwen3', {}],
  ['llama3', {}],
  ['mistral', {}],
  ['chatml', { mask: { thinking: false } }],
  ['chatml', { mask: { last_steps: 1 } }],
] as const)('every format that we write lints and audits clean: %s %j', async ([preset, changed]) => {
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
  const linted = await lintFolder(folder);
  expect(linted.findings).toEqual([]);
  expect(linted.rows).toMatchObject({
    'axolotl/segments/train.jsonl': 6,
    'llama_factory/train.jsonl': 6,
    'pairs.jsonl': 6,
    'dpo/train.jsonl': 6,
    'hugging_face_dpo/data/train.parquet': 6,
  });
  const tokenText = isOurs ? qwenText : await openTokenText(tokenizer);
  const audited = await audit(folder, { tokenText });
  expect(audited.findings).toEqual([]);
  if (!isMasked) {
    const elsewhere = await auditElsewhere(folder, formats, tokenText);
    // What LLaMA-Factory trains of its ranking layout: every answer, tools' words included.
    const [ranking, others] = [isRanking, (finding: AuditFinding) => !isRanking(finding)].map((wanted) =>
      elsewhere.findings.filter(wanted),
    );
    expect(others).toEqual([]);
    expect(new Set(ranking!.map(({ kind }) => kind))).toEqual(new Set(['observation_trained']));
    expect(elsewhere.totals.parts).toHaveLength(audited.totals.parts.length);
  }
  expect(audited.totals.parts.map((part) => part.rows)).toEqual(
    formats.flatMap((name) => (name === 'axolotl' || name === 'dpo' ? [6, 6] : [6])),
  );
});

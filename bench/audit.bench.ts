/**
 * How fast `coa-distill audit` goes through a dataset, with one thread and with two: AUDIT_BENCH_MB (4) of code, English
 * and invented words in the default formats, each of which is read and encoded again by Hugging Face's `tokenizers`.
 *
 * Goal: two threads 1.7 times as fast as one on two cores, with the same totals. Run with `make bench`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { auditFiles } from '../operations/audit/auditFiles.ts';
import { createDatasetWriter } from '../output/dataset/createDatasetWriter.ts';
import { loadTokenizer } from '../output/tokenizers/loadTokenizer.ts';
import { builtinProfile } from '../schemas/coa/profiles/builtin.ts';
import { datasetConfigSchema } from '../schemas/config/dataset.ts';
import { trainingConfigSchema } from '../schemas/config/training.ts';
import { compareThreads } from './support/compareThreads.ts';
import { mixedTrajectories } from './support/mixedTrajectories.ts';

const megabytes = Number(process.env.AUDIT_BENCH_MB ?? 4);
const folder = await mkdtemp(path.join(tmpdir(), 'audit-bench-'));
try {
  const dataset = path.join(folder, 'dataset');
  const writer = await createDatasetWriter({
    folder: dataset,
    name: 'bench',
    tokenizer: await loadTokenizer('qwen2.5'),
    dataset: datasetConfigSchema.parse({ cutoff_len: 1_000_000 }),
    training: trainingConfigSchema.parse({}),
    profileOf: builtinProfile,
    configHash: 'config_0',
    version: '0.0.0',
  });
  for (const trajectory of mixedTrajectories(megabytes * 1e6)) await writer.write(trajectory);
  const { formats } = await writer.finish();
  const totals = new Set<string>();
  const work = async () => void totals.add(JSON.stringify(await auditFiles(dataset)));
  await compareThreads('audit', megabytes * formats.length, work, { waits: true });
  const { findings } = JSON.parse([...totals][0]!) as { findings: number };
  console.log(`${totals.size === 1 ? 'the same totals' : 'OTHER TOTALS'}, ${findings} findings`);
} finally {
  await rm(folder, { recursive: true });
}

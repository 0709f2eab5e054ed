import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { type Manifest, manifestSchema } from '../../schemas/manifest.ts';
import { qwen } from '../output/support/qwen.ts';
import { ownLayouts, ownRows, writeRowFile } from '../support/ownRows.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { runImport } from './runInProcess.ts';

const manifestOf = (run: string): Manifest =>
  manifestSchema.parse(JSON.parse(readFileSync(join(run, 'dataset/manifest.json'), 'utf8')));

const request = { format: 'sft', name: 'own' } as const;

test('rows of one’s own become a dataset, with the same bytes in one go and resumed before it is written', async () => {
  const places = [temporaryFolder(), temporaryFolder()] as const;
  const files = ownLayouts.map((layout) => `${layout}.jsonl`);
  for (const folder of places)
    for (const layout of ownLayouts)
      writeRowFile(join(folder, `${layout}.jsonl`), await ownRows(layout, 3, qwen));
  const once = await runImport(places[0], { ...request, files }, { until: 'export' });
  await runImport(places[1], { ...request, files }, { until: 'filter' });
  const resumed = await runImport(places[1], { ...request, files }, { until: 'export' });
  const manifest = manifestOf(once.folder);
  expect(manifest.rows).toBe(12);
  expect(manifest.mix!.map(({ file, taken }) => [file, taken])).toEqual(files.map((file) => [file, 3]));
  expect(manifestOf(resumed.folder)).toEqual(manifest);
});

test('questions of benchmarks are left out, and those of one question are on one side', async () => {
  const folder = temporaryFolder();
  const rows = Array.from({ length: 20 }, (_, at) => ({
    messages: [
      { role: 'user', content: at === 0 ? 'Where does the Teln end?' : `Where does river ${at >> 1} end?` },
      { role: 'assistant', content: `In lake ${at}.` },
    ],
  }));
  writeRowFile(join(folder, 'chats.jsonl'), rows);
  writeFileSync(join(folder, 'bench.jsonl'), '{"question": "where does the Teln end"}\n');
  writeFileSync(
    join(folder, 'coa.yaml'),
    'decontaminate: { benchmarks: [{ path: bench.jsonl }] }\ndataset: { validation_share: 0.4 }\n',
  );
  const asked = { ...request, files: ['chats.jsonl'], configFile: 'coa.yaml' };
  const run = await runImport(folder, asked, { until: 'export' });
  const { mix, splits } = manifestOf(run.folder);
  expect(mix![0]).toMatchObject({ taken: 19, left_out: { contaminated: { rows: 1 } } });
  expect(splits).toEqual(mix![0]!.splits);
  const askedIn = (file: string): Set<string> => {
    const lines = readFileSync(join(run.folder, 'dataset', file), 'utf8')
      .trim()
      .split('\n');
    return new Set(lines.map((line) => JSON.parse(line).messages[0].content));
  };
  const [train, validation] = [askedIn('mixed.jsonl'), askedIn('mixed-validation.jsonl')];
  expect(Math.min(train.size, validation.size)).toBeGreaterThan(0);
  expect([...train].filter((question) => validation.has(question))).toEqual([]);
});

test('a file without a row for fine-tuning, and options that such rows have no use for, are refused', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'empty'));
  writeFileSync(join(folder, 'tasks.jsonl'), '{"question": "Where?", "answer": "Here"}\n');
  const files = ['tasks.jsonl'];
  await expect(runImport(folder, { ...request, files }, { until: 'export' })).rejects.toThrow(UserError);
  await expect(runImport(folder, { ...request, files, profile: 'web' })).rejects.toThrow(UserError);
  await expect(runImport(folder, { ...request, files: ['empty'] })).rejects.toThrow(UserError);
});

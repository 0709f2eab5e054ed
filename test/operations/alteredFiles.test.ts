import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { alteredFiles } from '../../operations/report/alteredFiles.ts';
import { maskConfigSchema } from '../../schemas/config/dataset.ts';
import { manifestSchema } from '../../schemas/manifest.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const rows = '{"a":1}\n';
const file = 'alpaca/train.jsonl';
const later = new Date(Date.now() + 60_000);

/** A run whose dataset is one file. */
function runOfOneFile(): { readonly run: string; readonly path: string } {
  const run = temporaryFolder();
  const path = join(run, 'dataset', file);
  mkdirSync(join(run, 'dataset/alpaca'), { recursive: true });
  writeFileSync(path, rows);
  const counts = { rows: 1, tokens: 1, trained_tokens: 1 };
  const sha256 = createHash('sha256').update(rows).digest('hex');
  const named = { name: 'x', sha256: 'x' };
  const manifest = manifestSchema.parse({
    ...{ format_version: 1, coa_distill_version: '0', config_hash: 'x', ...counts, profiles: {} },
    ...{ tokenizer: { ...named, encoder: 'x' }, chat_template: named, system_prompt: '' },
    ...{
      mask: maskConfigSchema.parse({}),
      cutoff_len: 9,
      cut_rows: 0,
      disarmed_tokens: 0,
      repaired_texts: 0,
    },
    ...{ segments_encoded: 'whole', boundary_tokens: 0, formats: ['llama_factory'] },
    splits: { train: 1, validation: 0 },
    files: [{ path: file, sha256, bytes: rows.length, split: 'train', ...counts }],
  });
  writeFileSync(join(run, 'dataset/manifest.json'), JSON.stringify(manifest));
  return { run, path };
}

test.each<[string, string | undefined, (path: string, run: string) => void]>([
  ['is untouched', undefined, () => {}],
  ['was only touched', undefined, (path) => utimesSync(path, later, later)],
  ['lost its dataset', undefined, (_, run) => rmSync(join(run, 'dataset'), { recursive: true })],
  ['grew', 'was changed', (path) => writeFileSync(path, `${rows}${rows}`)],
  ['is gone', 'was removed', (path) => rmSync(path)],
  [
    'holds other words of the same length',
    'was changed',
    (path) => {
      writeFileSync(path, rows.replace('1', '2'));
      utimesSync(path, later, later);
    },
  ],
  [
    'is a link',
    'was changed',
    (path) => {
      rmSync(path);
      symlinkSync('/etc/hostname', path);
    },
  ],
])('a file of a dataset that %s: %s', async (_, what, alter) => {
  const { run, path } = runOfOneFile();
  alter(path, run);
  const lines = await alteredFiles(run);
  expect(lines).toEqual(what === undefined ? [] : [expect.stringContaining(`${path} ${what}`)]);
});

test('a damaged manifest is told', async () => {
  const { run } = runOfOneFile();
  writeFileSync(join(run, 'dataset/manifest.json'), '{');
  expect(await alteredFiles(run)).toEqual([expect.stringContaining('manifest.json: damaged')]);
});

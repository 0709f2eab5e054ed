import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkMasks } from '../output/check/support/checkRows.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { runPython } from './support/runPython.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';

const demos = fileURLToPath(new URL('../fixtures/llama-factory', import.meta.url));

test("the check finds nothing in what LLaMA-Factory's own template makes of its demos", async () => {
  const folder = temporaryFolder();
  const model = path.join(folder, 'model');
  await writeModelFolder(model);
  cpSync(demos, path.join(folder, 'data'), { recursive: true });
  const info = {
    glaive: {
      file_name: 'glaive_toolcall.json',
      formatting: 'sharegpt',
      columns: { messages: 'conversations', tools: 'tools' },
    },
    identity: { file_name: 'identity.json' },
  };
  writeFileSync(path.join(folder, 'data/dataset_info.json'), JSON.stringify(info));
  const saved = path.join(folder, 'saved');
  const settings = {
    model_name_or_path: model,
    stage: 'sft',
    do_train: false,
    finetuning_type: 'full',
    dataset_dir: path.join(folder, 'data'),
    dataset: 'glaive,identity',
    template: 'qwen',
    cutoff_len: 32_768,
    tokenized_path: saved,
    output_dir: path.join(folder, 'output'),
    use_cpu: true,
    report_to: 'none',
  };
  writeFileSync(path.join(folder, 'rows.yaml'), JSON.stringify(settings));
  const args = ['train', path.join(folder, 'rows.yaml')];
  await runPython({ environment: 'llamafactory', program: 'llamafactory-cli', args, folder });
  const { findings, totals } = await checkMasks(path.join(saved, 'train'));
  expect(findings).toEqual([]);
  expect(totals.parts).toMatchObject([{ layout: 'tokens', rows: 30 }]);
});

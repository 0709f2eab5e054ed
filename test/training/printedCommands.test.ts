import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startCommand } from '../../cli/train/trainFromCommandLine.ts';
import { servingCommands } from '../../evaluation/serving/servingCommands.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test.each(["-a $(touch pwned) 'b'", 'plain', '.'])(
  'the printed command starts a job in folder %s',
  (name) => {
    const cwd = temporaryFolder();
    const folder = path.join(cwd, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'a job.sh'), 'pwd\n');
    const command = startCommand(name, ['bash', 'a job.sh']);
    expect(execFileSync('bash', ['-c', command], { cwd, encoding: 'utf8' })).toBe(
      `${folder.replace(/\/$/, '')}\n`,
    );
    expect(existsSync(path.join(cwd, 'pwned'))).toBe(false);
  },
);

test('a whole model is served by its folder, under a name, without sampling of its own', () => {
  const commands = servingCommands({ folder: "/my models/a'b", adapterOf: null }, 'coa-sft').map(
    ([, of]) => of,
  );
  const folder = `'/my models/a'\\''b'`;
  expect(commands).toEqual([
    `vllm serve ${folder} --served-model-name coa-sft --generation-config vllm`,
    `python -m sglang.launch_server --model-path ${folder} --served-model-name coa-sft --sampling-defaults openai`,
    `transformers serve ${folder}`,
  ]);
});

test('an adapter is merged, or served with its model', () => {
  const [[, merge], [, vllm], [, sglang]] = servingCommands(
    { folder: 'out/checkpoint-6/', adapterOf: 'Qwen/Qwen2.5-7B' },
    'coa-lora',
  ) as [string, string][] as [[string, string], [string, string], [string, string]];
  expect(merge).toMatch(/^python \S+\/merge_adapter\.py out\/checkpoint-6\/ out\/checkpoint-6-merged$/);
  expect(vllm).toContain(
    'vllm serve Qwen/Qwen2.5-7B --enable-lora --lora-modules coa-lora=out/checkpoint-6/',
  );
  expect(sglang).toContain('--model-path Qwen/Qwen2.5-7B --lora-paths coa-lora=out/checkpoint-6/');
});

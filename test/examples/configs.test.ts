import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { testDataPath } from '../support/testData.ts';
import { examplesFolder } from './support/examplesFolder.ts';

const real: Readonly<Record<string, { readonly file: string; readonly profile: string }>> = {
  'aime24.yaml': { file: 'aime24.parquet', profile: 'math' },
  'livecodebench.yaml': { file: 'livecodebench_v4.parquet', profile: 'code' },
  'math500.yaml': { file: 'math500.parquet', profile: 'math' },
  'nq.yaml': { file: 'nq_500.jsonl', profile: 'mhqa' },
};

/** Examples whose tasks come along, or are made. */
const made = ['quickstart.yaml', 'self-distil.yaml', 'evaluate.yaml', 'synthesize.yaml'];

describe('the example configurations', () => {
  test('are those whose tasks come along, and one a real task file', () => {
    const configs = readdirSync(examplesFolder).filter((file) => file.endsWith('.yaml'));
    expect(configs.sort()).toEqual([...Object.keys(real), ...made].sort());
  });

  test('the quickstart plays its script over all four profiles', async () => {
    const { config } = await loadConfig(path.join(examplesFolder, 'quickstart.yaml'), {}, {});
    expect(config.teacher.backend).toBe('scripted');
    expect(config.tasks.sources.map((source) => source.profile)).toEqual(['web', 'mhqa', 'math', 'code']);
  });

  test('the student plays alone, and no answer is put into its mouth', async () => {
    const { config } = await loadConfig(path.join(examplesFolder, 'self-distil.yaml'), {}, {});
    expect(config.teacher).toMatchObject({
      backend: 'coa_model',
      model: { sampling: { temperature: 1 } },
      player: { forced_answer: false, suggested_as_answer: false },
    });
  });

  test.each(Object.entries(real))(
    '%s takes its task file from the command line',
    async (name, { profile }) => {
      const file =
        name === 'nq.yaml'
          ? 'nq.jsonl'
          : name === 'livecodebench.yaml'
            ? 'livecodebench_v4.parquet'
            : name.replace('.yaml', '.parquet');
      const config = path.join(examplesFolder, name);
      const loaded = await loadConfig(config, { tasksFile: testDataPath(`tasks/${file}`) }, { env: {} });
      expect(loaded.config.tasks.sources).toMatchObject([{ file: testDataPath(`tasks/${file}`), profile }]);
      expect(loaded.config.teacher.backend).toBe('openai');
    },
  );

  test.each(Object.entries(real))(
    '%s says what file is missing where none is given',
    async (name, { file }) => {
      await expect(loadConfig(path.join(examplesFolder, name), {}, {})).rejects.toThrow(file);
    },
  );
});

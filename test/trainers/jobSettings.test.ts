import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../../base/json.ts';
import { hydraOverride } from '../../output/quoting/hydraOverride.ts';
import { renderYaml } from '../../output/quoting/renderYaml.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { hostileText } from '../training/support/hostileText.ts';
import { pythonScript, runPython, type TrainerEnvironment } from './support/runPython.ts';

const folder = sharedFolder();

const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((n) => n + 0 || 0);
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(hostileText, number, fc.boolean(), fc.constant(null));
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('a', 'b_1', 'c-d'), scalar, { maxKeys: 3 }) },
);

/** Settings as a trainer's Python reads them. */
async function readBack(environment: TrainerEnvironment, kind: string, text: string): Promise<unknown> {
  const file = path.join(folder, kind);
  await writeFile(file, text);
  const output = await runPython({
    environment,
    args: [pythonScript('read_settings.py'), kind, file],
    folder,
  });
  return JSON.parse(output.split('\n')[0]!);
}

test('verl’s Hydra reads from overrides the very values that were written', async () => {
  const values = fc.sample(value, 1000);
  const overrides = values.map((one, n) => hydraOverride(`+key_${n}`, one));
  expect(await readBack('trainers', 'hydra', JSON.stringify(overrides))).toEqual(values);
});

test('LLaMA-Factory’s OmegaConf reads from YAML the very values that were written', async () => {
  const settings = Object.fromEntries(fc.sample(value, 1000).map((one, n) => [`key_${n}`, one]));
  expect(await readBack('llamafactory', 'omegaconf', renderYaml(settings))).toEqual(settings);
});

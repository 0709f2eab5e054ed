import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { changedConfig } from '../../operations/variant/changedConfig.ts';
import { fingerprintConfig } from '../../pipeline/config/fingerprintConfig.ts';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { filterPresets } from '../../schemas/config/filterPresets.ts';
import { playerPresets } from '../../schemas/config/playerPresets.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const model = 'judge: { model: { model: m, endpoint: { base_url: "http://127.0.0.1:9/v1" } } }\n';

async function load(sections: string) {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const tasks =
    'tasks: { sources: [{ file: t.jsonl, profile: mhqa }] }\ntools: { wiki_search: { corpus: t.jsonl } }\n';
  writeFileSync(join(folder, 't.jsonl'), '{}\n');
  writeFileSync(join(folder, 'coa.yaml'), tasks + sections);
  return loadConfig(join(folder, 'coa.yaml'), {}, { env: {} });
}

test('the preset asks the judge about instructions, and says so where there is no model to ask', async () => {
  expect((await load(`${model}filters: { preset: afm }\n`)).config.judge.instructions).toEqual({});
  await expect(load('filters: { preset: afm }\n')).rejects.toThrow(
    /coa\.yaml:3: filters\.preset: afm drops what does not follow its instructions.*add judge\.model/,
  );
  const without = await load('filters: { preset: afm, instruction_failures: keep }\n');
  expect(without.config.judge.instructions).toBeUndefined();
  expect(without.config.filters).toMatchObject({ ...filterPresets.afm, instruction_failures: 'keep' });
  await expect(load('filters: { preset: amf }\n')).rejects.toThrow(/coa\.yaml:3: filters\.preset: expected/);
  await expect(load('filters: { min_interactions: { count: agents, wbe: 3 } }\n')).rejects.toThrow(
    /min_interactions\.wbe: unknown profile "wbe"; did you mean "web"/,
  );
});

test('a preset shapes as its values do: written out, they are no change', async () => {
  const own = 'teacher: { keep_promises: false }\n';
  const keep = { ...filterPresets.afm, instruction_failures: 'keep' };
  const named = await fingerprintConfig(
    await load(`${own}filters: { preset: afm, instruction_failures: keep }\n`),
  );
  const written = await fingerprintConfig(await load(`${own}filters: ${JSON.stringify(keep)}\n`));
  const plain = await fingerprintConfig(await load(`${own}filters: { instruction_failures: keep }\n`));
  expect(named).toEqual(written);
  expect({ ...named, filter: 0 }).toEqual({ ...plain, filter: 0 });
  expect(named.filter).not.toEqual(plain.filter);
});

test("a player's preset shapes as its values do, and no task by its name", async () => {
  const dataset = 'dataset: { tokenizer: qwen2.5 }\n';
  const hashes = async (teacher: object) =>
    fingerprintConfig(
      await load(`${dataset}teacher: ${JSON.stringify({ backend: 'coa_model', ...teacher })}\n`),
    );
  const named = await hashes({ player: { preset: 'afm_web' } });
  expect(named).toEqual(await hashes(playerPresets.afm_web));
  expect(named.rollout).not.toEqual((await hashes({ player: { preset: 'afm_web_paper' } })).rollout);
  const none = { context: 'whole', broken_steps: 1, tries: 1 };
  expect(await hashes({ player: none })).toEqual(await hashes({ player: {} }));
});

test('sampling that the server takes none of is refused before anything is asked', async () => {
  const played = (preset: string) =>
    load(`teacher: { backend: coa_model, player: { preset: ${preset}, server: transformers } }\n`);
  await expect(played('afm_web_paper')).rejects.toThrow(
    /teacher\.model\.sampling\.top_k: a server "transformers"/,
  );
  expect((await played('afm_web')).config.teacher).toMatchObject(playerPresets.afm_web);
});

test('a run can be decided again by the preset, and by some of its values taken out again', async () => {
  const { config } = await load('');
  const stored = JSON.parse(JSON.stringify(config)) as JsonObject;
  const preset = changedConfig(stored, ['filters.preset=afm']);
  expect(preset.filters).toMatchObject({ ...filterPresets.afm });
  expect(preset.judge).toEqual(config.judge);
  const changed = changedConfig(JSON.parse(JSON.stringify(preset)), ['filters.reflection=null']);
  expect(changed.filters).toEqual({ ...preset.filters, reflection: undefined });
});

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fingerprintConfig } from '../../pipeline/config/fingerprintConfig.ts';
import { inputIdentity } from '../../pipeline/config/hashInput.ts';
import { type LoadedConfig, loadConfig } from '../../pipeline/config/loadConfig.ts';
import { stageHashes } from '../../pipeline/config/stageHashes.ts';
import { configSchema } from '../../schemas/config/config.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { sampleImages } from '../tools/visualInspector/support/sampleImages.ts';

const price = { input_usd_per_million: 2, output_usd_per_million: 8 };

const inspector = (model: object, more: object = {}) => ({
  visual_inspector: { model: { model: 'eyes', ...model }, ...more },
});
describe('what makes the rollout stale', () => {
  const folder = sharedFolder();
  const images = join(folder, 'images');
  mkdirSync(images);
  writeFileSync(join(images, 'a.png'), sampleImages.png);
  writeFileSync(join(folder, 'tasks'), '');

  async function rolloutHash(model: object, more: object = {}, rest: object = {}): Promise<string> {
    const tools = { ...inspector(model, { folder: images, ...more }), ...rest };
    const config = configSchema.parse({
      tasks: { sources: [{ file: join(folder, 'tasks'), profile: 'web' }] },
      tools,
    });
    const shaping = await fingerprintConfig({ config, name: 'x' } as LoadedConfig);
    return stageHashes(shaping, new Map()).stages.get('rollout')!;
  }

  test('is the model and how it is asked, not where it is', async () => {
    const before = await rolloutHash({});
    const place = {
      base_url: 'http://b/v1',
      api_key_env: 'B',
      timeout_s: 9,
      max_retries: 1,
      concurrency: 3,
    };
    expect(await rolloutHash({ endpoint: place, price })).toBe(before);
    expect(await rolloutHash({ model: 'other' })).not.toBe(before);
    expect(await rolloutHash({ sampling: { temperature: 0 } })).not.toBe(before);
    expect(await rolloutHash({}, { max_chars: 9 })).not.toBe(before);
  });

  test('is the model that sums pages up', async () => {
    const pages = (model: object) => rolloutHash({}, {}, { crawl_page: { summary: { model } } });
    const before = await pages({ model: 'reader' });
    expect(await pages({ model: 'reader', endpoint: { base_url: 'http://b/v1' }, price })).toBe(before);
    expect(await pages({ model: 'other' })).not.toBe(before);
  });

  test('is what the images hold, and where links lead', async () => {
    const before = await inputIdentity(images);
    symlinkSync('a.png', join(images, 'link.png'));
    const linked = await inputIdentity(images);
    rmSync(join(images, 'link.png'));
    symlinkSync('b.png', join(images, 'link.png'));
    expect(new Set([before, linked, await inputIdentity(images)]).size).toBe(3);
    rmSync(join(images, 'link.png'));
    expect(await inputIdentity(images)).toBe(before);
    const hash = await rolloutHash({});
    writeFileSync(join(images, 'a.png'), sampleImages.jpeg);
    expect(await rolloutHash({})).not.toBe(hash);
  });
});

describe('the tag visual_inspector', () => {
  const afm = { wiki_search: undefined, web_search: { base_url: 'http://s/' }, crawl_page: {}, code: {} };
  const custom = { visual_inspector: { url: 'http://own/look', description: 'Looks.' } };
  async function load(tools: object) {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'tasks.jsonl'), '');
    const tasks = { sources: [{ file: 'tasks.jsonl', profile: 'afm' }] };
    writeFileSync(join(folder, 'coa.yaml'), JSON.stringify({ tasks, tools: { ...afm, ...tools } }));
    return loadConfig(join(folder, 'coa.yaml'), {}, { env: {} });
  }

  test("calls its own section, or a tool of the user's own as before there was one", async () => {
    expect((await load(inspector({}))).config.tools.visual_inspector).toBeDefined();
    expect((await load({ custom })).config.tools.custom).toHaveProperty('visual_inspector');
  });

  test('calls one of them, and at least one', async () => {
    await expect(load({ custom, ...inspector({}) })).rejects.toThrow(
      /visual_inspector is built in; configure it as tools\.visual_inspector/,
    );
    await expect(load({})).rejects.toThrow(/needs the tool visual_inspector.*add tools\.visual_inspector/);
  });
});

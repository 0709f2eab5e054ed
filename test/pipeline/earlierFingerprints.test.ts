import { expect, test } from 'vitest';
import { contentId } from '../../base/ids.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { fingerprintConfig } from '../../pipeline/config/fingerprintConfig.ts';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { configSchema } from '../../schemas/config/config.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { configsOfEveryKind, writeInputs } from './support/configsOfEveryKind.ts';

/** Content ids of each stage's part, as the version of 2026-11-21 made them. */
const pinned: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  plain: {
    tasks: 'config_b97843a84639f48207daa662',
    dedup: 'config_477b095f48ca1280da552df0',
    rollout: 'config_0873d3b38ffd98a56bec4032',
    convert: 'config_062420db00c02bd836a936bd',
    judge: 'config_5641a8deb17d97a74e948f33',
    filter: 'config_6d00b7852338eef7efdf36fd',
    export: 'config_850f82a8124b12a9c9935546',
  },
  everything: {
    tasks: 'config_ba72a9650d413ed2e63edc4c',
    dedup: 'config_233d4a3ac8e94824e4eae60b',
    decontaminate: 'config_719705b90b15a54b7cbde3e5',
    rollout: 'config_6b9d48ac2840889fe8f2bbe4',
    convert: 'config_6aab48b11bae1bed03b23bc3',
    judge: 'config_b48277fe1e22079bd78aa1d9',
    filter: 'config_aef0ca58884b3406de784c6a',
    select: 'config_6834a7c18b84ddd6188e6e87',
    balance: 'config_7b5d5e5c467c81a2225fd4b2',
    export: 'config_c08f5f2e6791131528dc10a9',
  },
  'what is plain up to a number of rows': {
    tasks: 'config_b97843a84639f48207daa662',
    dedup: 'config_477b095f48ca1280da552df0',
    rollout: 'config_0873d3b38ffd98a56bec4032',
    convert: 'config_062420db00c02bd836a936bd',
    judge: 'config_5641a8deb17d97a74e948f33',
    filter: 'config_6d00b7852338eef7efdf36fd',
    export: 'config_82aa79e5e6235337dd70a554',
  },
  scripted: {
    tasks: 'config_b97843a84639f48207daa662',
    dedup: 'config_477b095f48ca1280da552df0',
    rollout: 'config_eba9e5498fec54fe76659661',
    convert: 'config_062420db00c02bd836a936bd',
    judge: 'config_5641a8deb17d97a74e948f33',
    filter: 'config_6d00b7852338eef7efdf36fd',
    select: 'config_a4bee6839f54ab4c286fc8e7',
    export: 'config_850f82a8124b12a9c9935546',
  },
  'several rollouts': {
    tasks: 'config_b97843a84639f48207daa662',
    dedup: 'config_477b095f48ca1280da552df0',
    rollout: 'config_d1100ea505754006bae2dfc3',
    convert: 'config_062420db00c02bd836a936bd',
    judge: 'config_5641a8deb17d97a74e948f33',
    filter: 'config_6d00b7852338eef7efdf36fd',
    export: 'config_850f82a8124b12a9c9935546',
  },
  'tasks for reinforcement learning': {
    tasks: 'config_b97843a84639f48207daa662',
    dedup: 'config_477b095f48ca1280da552df0',
    rollout: 'config_0873d3b38ffd98a56bec4032',
    convert: 'config_062420db00c02bd836a936bd',
    judge: 'config_5641a8deb17d97a74e948f33',
    filter: 'config_6d00b7852338eef7efdf36fd',
    export: 'config_a4ec73c7f4dda843d6482f9c',
  },
  'answer key beside a script': {
    tasks: 'config_15b2415bb5d5bb9d0866f014',
    dedup: 'config_477b095f48ca1280da552df0',
    rollout: 'config_4b6ad488ef44537d6ac1dc60',
    convert: 'config_062420db00c02bd836a936bd',
    judge: 'config_5641a8deb17d97a74e948f33',
    filter: 'config_6d00b7852338eef7efdf36fd',
    balance: 'config_e6f199a33cb3c350ffdca642',
    export: 'config_850f82a8124b12a9c9935546',
  },
  'services and programs': {
    tasks: 'config_acd7ca4af9c0d831e1c2e7f8',
    dedup: 'config_ce8eec665d45665aaaf0aad7',
    rollout: 'config_171be88dcb077c7be1638dc0',
    convert: 'config_062420db00c02bd836a936bd',
    judge: 'config_f4f24179bda2d31fe10a8085',
    filter: 'config_cf83a5a0a1f52290c962e05a',
    select: 'config_bcb3a08184e468691d64ae88',
    export: 'config_e486e6bae53d07a0a696defc',
  },
  dense: {
    tasks: 'config_b97843a84639f48207daa662',
    dedup: 'config_477b095f48ca1280da552df0',
    rollout: 'config_30abc3f512f87903743e31b0',
    convert: 'config_062420db00c02bd836a936bd',
    judge: 'config_5641a8deb17d97a74e948f33',
    filter: 'config_935e3ee272ec01be28237e87',
    export: 'config_850f82a8124b12a9c9935546',
  },
  'tasks probed for their difficulty': {
    tasks: 'config_b97843a84639f48207daa662',
    dedup: 'config_477b095f48ca1280da552df0',
    probe: 'config_10e001277942e3466bb35f85',
    rollout: 'config_0873d3b38ffd98a56bec4032',
    convert: 'config_062420db00c02bd836a936bd',
    judge: 'config_5641a8deb17d97a74e948f33',
    filter: 'config_c3f9a7f88c530e78b6f89068',
    export: 'config_850f82a8124b12a9c9935546',
  },
  imported: {
    tasks: 'config_bcb54600a204505253c0fffd',
    dedup: 'config_233d4a3ac8e94824e4eae60b',
    decontaminate: 'config_719705b90b15a54b7cbde3e5',
    rollout: 'config_44136fa355b3678a1146ad16',
    convert: 'config_6aab48b11bae1bed03b23bc3',
    judge: 'config_b48277fe1e22079bd78aa1d9',
    filter: 'config_aef0ca58884b3406de784c6a',
    select: 'config_6834a7c18b84ddd6188e6e87',
    balance: 'config_7b5d5e5c467c81a2225fd4b2',
    export: 'config_c08f5f2e6791131528dc10a9',
  },
};

async function partsOf(config: object, more: object = {}): Promise<Record<string, string>> {
  const folder = temporaryFolder();
  const loaded = await loadConfig(writeInputs(folder, config), {}, {});
  const isRead = (path: { keys: readonly unknown[] }) => !path.keys.includes('index');
  const shaping = await fingerprintConfig({ ...loaded, ...more }, isRead);
  // Of other paths than inputs only what stands in the folder is the same everywhere.
  const text = JSON.stringify(shaping).replaceAll(folder, 'FOLDER');
  return Object.fromEntries(
    Object.entries(JSON.parse(text) as JsonObject).map(([stage, part]) => [stage, contentId('config', part)]),
  );
}

test.each(Object.keys(configsOfEveryKind))('runs made earlier with "%s" are not stale', async (name) => {
  expect(await partsOf(configsOfEveryKind[name]!)).toEqual(pinned[name]);
});

test('imported runs made earlier are not stale', async () => {
  const imported = {
    format: 'afm' as const,
    files: [{ path: '/a/b', identity: 'b sha256:0' }],
    profile: 'web',
    tools: { search: 'web_search' },
  };
  expect(await partsOf(configsOfEveryKind.everything!, { imported, limit: 3 })).toEqual(pinned.imported);
});

test('every section is used by one of them', () => {
  const used = new Set(Object.values(configsOfEveryKind).flatMap((config) => Object.keys(config)));
  expect([...used].sort()).toEqual(Object.keys(configSchema.shape).sort());
  const tools = Object.values(configsOfEveryKind).flatMap((config) => {
    const { tools } = config as { tools?: JsonObject };
    return isJsonObject(tools) ? Object.keys(tools) : [];
  });
  expect([...new Set(tools)].sort()).toEqual(Object.keys(configSchema.shape.tools.unwrap().shape).sort());
});

import { expect, test } from 'vitest';
import { parseConfigDocument } from '../../pipeline/config/configDocument.ts';
import { fingerprintConfig } from '../../pipeline/config/fingerprintConfig.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { parseConfig } from '../../pipeline/config/parseConfig.ts';
import { roleModel, sectionModel } from '../../schemas/config/resolved/sectionModel.ts';

const tasks = 'tasks: { sources: [] }\n';
const parse = (text: string) =>
  parseConfig(parseConfigDocument('f.yaml', tasks.replace('[]', '[{ file: t, profile: mhqa }]') + text));

const main =
  '{ model: m, endpoint: { timeout_s: 9, tool_calls: native }, sampling: { temperature: 0.5, top_p: 0.9 } }';
const sections = (name: string) =>
  `teacher: { model: ${name}, roles: { planner: ${name} }, mixture: [{ name: a, model: ${name} }, { name: b }] }
judge: { text: model, model: { extends: ${name}, sampling: { temperature: 0 } } }
probe: { model: ${name} }
dedup: { trajectories: { semantic: { model: ${name} } } }
tools: { crawl_page: { summary: { model: ${name} } }, visual_inspector: { model: ${name} } }
synthesize: { model: ${name}, roles: { check: ${name} } }
`;

test('sections hold the models that they name; a model that extends another changes some keys of it', () => {
  const config = parse(`models: { main: ${main}, hot: { extends: main, sampling: { temperature: 1 } } }
${sections('hot')}`);
  const hot = { name: 'hot', model: 'm', sampling: { temperature: 1, top_p: 0.9 } };
  expect(config.teacher.model).toMatchObject({ ...hot, endpoint: { timeout_s: 9, tool_calls: 'native' } });
  for (const model of [
    config.teacher.roles.planner,
    config.teacher.mixture![0]!.model,
    config.probe!.model,
    config.dedup!.trajectories!.semantic!.model,
    config.tools.crawl_page!.summary!.model,
    config.tools.visual_inspector!.model,
    config.synthesize!.model,
    config.synthesize!.roles.check,
  ])
    expect(model).toEqual(config.teacher.model);
  expect(config.judge.model).toMatchObject({ model: 'm', sampling: { temperature: 0, top_p: 0.9 } });
  expect(roleModel(config, 'planner').place).toBe('models.hot');
  expect(sectionModel(config, 'judge.model')?.place).toBe('judge.model');
});

test('hashes depend on what a section uses of a model: not on its name, address, limits and price', async () => {
  const shapingOf = (text: string) =>
    fingerprintConfig({ config: parse(text), name: 'x' } as LoadedConfig, () => false);
  const before = await shapingOf(`models: { main: ${main} }\n${sections('main')}`);
  expect(await shapingOf(`models: { other: ${main} }\n${sections('other')}`)).toEqual(before);
  const priced = main.replace('timeout_s: 9', 'timeout_s: 7, base_url: "http://b/v1", api_key_env: K');
  const price = 'price: { input_usd_per_million: 1, output_usd_per_million: 2 }';
  const moved = `models: { main: ${priced.replace(/}$/, `, ${price} }`)} }\n${sections('main')}`;
  expect(await shapingOf(moved)).toEqual(before);
  const warmer = await shapingOf(`models: { main: ${main.replace('0.5', '0.6')} }\n${sections('main')}`);
  const changed = Object.keys(before).filter(
    (stage) => JSON.stringify(before[stage as 'tasks']) !== JSON.stringify(warmer[stage as 'tasks']),
  );
  // The judge has a temperature of its own, and embeddings have none.
  expect(changed.sort()).toEqual(['probe', 'rollout']);
});

test.each([
  [
    'teacher: { model: gpt }\nmodels: { main: { model: m } }\n',
    'f.yaml:2: teacher.model: no model of this name',
  ],
  ['teacher: { model: mian }\nmodels: { main: { model: m } }\n', 'did you mean "main"? known: main'],
  ['models: { a: { extends: a } }\n', 'f.yaml:2: models.a.extends: a extends a: a circle'],
  ['models: { a: { extends: c, model: m } }\n', 'f.yaml:2: models.a.extends: no model of this name'],
  [
    'teacher: { model: main }\nprobe: { model: main }\nmodels:\n  main:\n    model: m\n    endpoint: { timeout: 3 }\n',
    'f.yaml:7: models.main.endpoint.timeout: unknown key; did you mean "timeout_s"?',
  ],
  [
    'judge: { model: { extends: main, sampling: { temperature: 9 } } }\nmodels: { main: { model: m } }\n',
    'f.yaml:2: judge.model.sampling.temperature: expected',
  ],
  ['probe: { model: { sampling: {} } }\n', 'f.yaml:2: probe.model.model: expected a text, got nothing'],
  ['models: { main: m }\n', 'f.yaml:2: models.main: '],
])('%j is one mistake, named where it is written', (text, message) => {
  const refused = (): string => {
    try {
      parse(text);
    } catch (error) {
      return (error as Error).message;
    }
    return 'accepted';
  };
  expect(refused()).toContain(message);
  expect(refused().split('\n')).toHaveLength(1);
});

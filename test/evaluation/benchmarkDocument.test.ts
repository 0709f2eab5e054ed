import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { benchmarkRows } from '../../evaluation/benchmarkTable.ts';
import { evaluationConfigSchema } from '../../evaluation/evaluationConfig.ts';
import { plannedBenchmarks } from '../../evaluation/loadBenchmarks.ts';
import { parseConfigDocument, place } from '../../pipeline/config/configDocument.ts';
import { parseConfig } from '../../pipeline/config/parseConfig.ts';

/** The benchmarks of a configuration, each with the configuration of its run. */
function planned(text: string) {
  const document = parseConfigDocument('eval.yaml', text);
  const { evaluation, tasks } = document.value as { evaluation?: object; tasks?: { sources: [] } };
  const parsed = evaluationConfigSchema.parse(evaluation ?? {});
  return plannedBenchmarks(document, parsed, tasks?.sources ?? []).map((benchmark) => ({
    ...benchmark,
    config: parseConfig(benchmark.document),
  }));
}

const model = 'judge: { text: rule_then_model, model: { model: m } }';

test.each([...benchmarkRows])('%s is played as its row says', (name, row) => {
  const played = (backend: string) =>
    planned(`teacher: { backend: ${backend} }
judge: { model: { model: m } }
evaluation: { benchmarks: [{ name: ${name}-dev, file: t.jsonl }] }`)[0]!;
  const { config, samples } = played('coa_model');
  expect(samples).toBe(row.samples);
  expect(config.teacher).toMatchObject({
    rollouts: row.samples,
    model: {
      sampling: {
        ...row.sampling,
        max_tokens: row.alone.maxTokens,
        ...(row.alone.topK !== undefined && { top_k: row.alone.topK }),
      },
    },
    budget: { max_steps: row.alone.maxSteps },
  });
  const { profile, text = 'rule' } = row;
  expect(config.tasks.sources).toMatchObject([{ file: 't.jsonl', profile, preset: 'generic', columns: {} }]);
  expect(config.judge.text).toBe(text);
  expect(config.evaluation?.benchmarks).toBeUndefined();

  // Plans and thoughts of a team are steps, too: it has limits of its own.
  const { teacher } = played('openai').config;
  expect(teacher).toMatchObject({ rollouts: row.samples, budget: { max_steps: 36 } });
  expect(teacher.model.sampling).toEqual(row.sampling);
});

test('what the benchmark says comes before the configuration, and that before the name', () => {
  const [gaia, hle] =
    planned(`teacher: { rollouts: 5, model: { model: scripted-teacher, sampling: { temperature: 0.3 } } }
${model}
evaluation:
  benchmarks:
    - { name: gaia, file: t.jsonl, samples: 2, text: rule, sampling: { top_p: 0.5 } }
    - { name: hle, file: t.jsonl }`);
  expect(gaia!.config.teacher.model.sampling).toEqual({ temperature: 0.3, top_p: 0.5 });
  expect([gaia!.samples, gaia!.config.teacher.rollouts, gaia!.config.judge.text]).toEqual([2, 2, 'rule']);
  expect([hle!.samples, hle!.config.judge.text]).toEqual([5, 'rule_then_model']);
});

test('a server that takes no top_k is sent none', () => {
  const [gaia] = planned(`teacher: { backend: coa_model, player: { server: transformers } }
${model}
evaluation: { benchmarks: [{ name: gaia, file: t.jsonl }] }`);
  expect(gaia!.config.teacher.model.sampling).not.toHaveProperty('top_k');
});

test("a player's preset is the configuration's own word", () => {
  const [gaia] =
    planned(`teacher: { backend: coa_model, model: { model: scripted-teacher, sampling: { top_p: 1 } }, player: { preset: afm_web } }
${model}
evaluation: { benchmarks: [{ name: gaia, file: t.jsonl }] }`);
  const { rollouts, model: played, player } = gaia!.config.teacher;
  expect([gaia!.samples, rollouts, played.sampling.top_p, player?.tries]).toEqual([5, 5, 1, 3]);
});

test('tasks are not taken out of a benchmark for being in one', () => {
  const [named] = planned(`${model}
decontaminate: { benchmarks: [{ path: t.jsonl }] }
probe: { pass_rate: { from: t.jsonl, max: 0.3 } }
evaluation: { benchmarks: [{ name: gaia, file: t.jsonl }] }`);
  expect(named!.config.decontaminate).toBeUndefined();
  expect(named!.config.probe).toBeUndefined();
});

test('a score is never made of rollouts that end with a right one', () => {
  const until = 'teacher: { rollouts: { max: 8, until: first_correct } }';
  const source = 'tasks: { sources: [{ file: a.jsonl, profile: math }, { file: b.jsonl, profile: web }] }';
  const found = planned(`${until}\n${source}`);
  expect(found.map(({ name, samples, config }) => [name, samples, config.teacher.rollouts])).toEqual([
    ['a', 1, 1],
    ['b', 1, 1],
  ]);
  expect(found[1]!.config.tasks.sources).toMatchObject([{ file: 'b.jsonl', profile: 'web' }]);
});

test('a mistake of a benchmark is named by its key and line', () => {
  const [, second] = planned(`evaluation:
  benchmarks:
    - { name: a, file: t.jsonl, profile: web }
    - name: b
      file: t.jsonl
      profile: web`);
  const path = ['tasks', 'sources', 0, 'profile'];
  expect(second!.document.lineOf(path)).toBe(6);
  expect(place(second!.document, path)).toMatch(/:6: evaluation\.benchmarks\.1\.profile$/);
  expect((second!.document.value as JsonObject).evaluation).toEqual({});
});

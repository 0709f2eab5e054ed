import { expect, test } from 'vitest';
import {
  type BenchmarkRow,
  benchmarkRow,
  benchmarkRows,
  benchmarkTable,
} from '../../evaluation/benchmarkTable.ts';
import { expectSourced, type SourcedFigure } from '../support/sourcedFigures.ts';

/** Figures of a row with the sources that stand beside them. */
function sourced({ judge, metric, samples, sampling, alone, sources }: BenchmarkRow) {
  const figures = { judge, metric, samples, sampling, alone };
  const value = (key: string) =>
    key.split('.').reduce<unknown>((of, name) => (of as Record<string, unknown>)[name], figures);
  const list = Object.entries(sources).map(([key, source]) => [key, value(key), source] as SourcedFigure);
  return { figures, list };
}

test.each([...benchmarkRows])('%s: every figure stands in its source', (_name, row) => {
  const { figures, list } = sourced(row);
  expectSourced(figures, list);
});

test('the paper’s rows and the scripts’ are two wherever they differ', () => {
  const names = Object.keys(benchmarkTable);
  expect(names).toHaveLength(18);
  for (const name of names) {
    const [paper, script] = [benchmarkRows.get(name)!, benchmarkRows.get(`${name}-script`)!];
    const told = ({ text, judge, samples, sampling, alone }: BenchmarkRow) => ({
      text,
      judge,
      samples,
      sampling,
      alone,
    });
    expect(told(script), name).not.toEqual(told(paper));
  }
});

test.each(['nq', 'triviaqa', 'popqa', 'hotpotqa', '2wikimultihopqa', 'musique', 'bamboogle'])(
  '%s has a model for a judge in the paper, and exact match in the script',
  (name) => {
    const sampling = { temperature: 1, top_p: 0.9 };
    expect(benchmarkRows.get(name)).toMatchObject({ text: 'model', sampling, alone: { topK: 20 } });
    const script = benchmarkRows.get(`${name}-script`)!;
    expect(script).toMatchObject({ text: 'rule', sampling: { temperature: 0 } });
    expect(script.alone.topK).toBeUndefined();
  },
);

test.each(['aime24', 'math500', 'livecodebench', 'code_contests'])('%s of 7B is sampled at 0.8', (name) => {
  expect(benchmarkRows.get(name)!.sampling).toEqual({ temperature: 0.6 });
  expect(benchmarkRows.get(`${name}-7b`)!.sampling).toEqual({ temperature: 0.8 });
});

test.each([
  ['gaia-dev', 'gaia'],
  ['gaia-script-2', 'gaia-script'],
  ['aime24-script', 'aime24-script'],
  ['aime24-7b-2', 'aime24-7b'],
  ['nq-script', 'nq-script'],
  ['gaia-7b', 'gaia'],
  ['aime', undefined],
  ['mine-gaia', undefined],
])('%s is played as %s', (name, known) => {
  expect(benchmarkRow(name)).toBe(known && benchmarkRows.get(known));
});

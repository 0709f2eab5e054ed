import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { evaluationFileSchema } from '../../evaluation/records/evaluationFile.ts';

const differenceSchema = z.object({
  benchmarks: z.array(
    z.object({
      name: z.string(),
      difference: z.looseObject({
        value: z.number(),
        low: z.number().nullable(),
        high: z.number().nullable(),
      }),
    }),
  ),
});

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** Writes results.md, what every arm and seed came to so far, and returns its path. */
export function writeTable(folder: string, arms: readonly string[], seeds: readonly string[]): string {
  const played = [['untrained', '0'], ...arms.flatMap((arm) => seeds.map((seed) => [arm, seed]))] as [
    string,
    string,
  ][];
  const head = [
    'arm',
    'seed',
    'benchmark',
    'right (95% interval)',
    'real ahead by (95% interval)',
    'grammar kept',
    'tool calls a task',
  ];
  const rows = played.flatMap(([arm, seed]) => {
    const file = path.join(folder, `runs/eval-${arm}-${seed}/evaluation.json`);
    if (!existsSync(file)) return [];
    return evaluationFileSchema.parse(read(file)).benchmarks.map(({ name, all, grammar }) => {
      const { score } = all;
      const right = score
        ? `${percent(score.value)} (${percent(score.low ?? 0)} to ${percent(score.high ?? 1)})`
        : 'none';
      const kept = `${grammar.kept} of ${grammar.kept + grammar.broken}`;
      return [
        arm,
        seed,
        name,
        right,
        differenceOf(folder, `compare-${arm}-${seed}.json`, name),
        kept,
        all.tool_calls?.value.toFixed(2) ?? '',
      ];
    });
  });
  const target = path.join(folder, 'results.md');
  writeFileSync(target, [head, head.map(() => '---'), ...rows].map(row).join(''));
  return target;
}

function differenceOf(folder: string, name: string, benchmark: string): string {
  const file = path.join(folder, name);
  if (!existsSync(file)) return '';
  const found = differenceSchema
    .parse(read(file))
    .benchmarks.find((one) => one.name === benchmark)?.difference;
  return found ? `${percent(found.value)} (${percent(found.low ?? -1)} to ${percent(found.high ?? 1)})` : '';
}

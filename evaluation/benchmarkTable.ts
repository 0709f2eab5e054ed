import type { SamplingConfig } from '../schemas/config/sampling.ts';

/** How a published benchmark is played. `test/schemas/benchmarkSources.test.ts` names the source of every figure. */
export interface BenchmarkRow {
  readonly profile: string;
  /** Who judges text answers, as `judge.text`; absent where the domain has a rule of its own: mathematics, programs. */
  readonly text?: 'rule' | 'model';
  /** Samples of each task. */
  readonly samples: number;
  readonly sampling: SamplingConfig;
  /** Limits of one model that plays alone. A team has those of its own configuration: its plans and thoughts are steps, too. */
  readonly alone: { readonly maxSteps: number; readonly maxTokens: number };
  /** Column by which scores are shown apart. */
  readonly groupBy?: string;
}

/** What AFM's released script does otherwise than the paper reports, or than it seems to. */
type ScriptRow = Partial<Pick<BenchmarkRow, 'samples' | 'sampling'>>;

/** The paper takes pass@3, the script five rounds. */
const web = {
  profile: 'web',
  text: 'model',
  samples: 3,
  sampling: { temperature: 1, top_p: 0.9 },
  alone: { maxSteps: 36, maxTokens: 4096 },
  script: { samples: 5 },
} as const;

/** Questions over Wikipedia, by exact match. */
const multiHop = {
  profile: 'mhqa',
  text: 'rule',
  samples: 1,
  sampling: { temperature: 0 },
  alone: { maxSteps: 8, maxTokens: 8192 },
} as const;

/** The script sets a temperature and leaves `do_sample` out, so verl's validation is greedy, once. */
const reasoning = {
  samples: 1,
  sampling: { temperature: 0.6 },
  alone: { maxSteps: 12, maxTokens: 28_672 },
  script: { samples: 1, sampling: { temperature: 0 } },
} as const;
const maths = { ...reasoning, profile: 'math' } as const;
const contest = { ...maths, samples: 16 } as const;
const code = { ...reasoning, profile: 'code' } as const;

/** The benchmarks by their names in `evaluation.benchmarks`. Any released form of their files is known by its columns. */
export const benchmarkTable = {
  gaia: { ...web, groupBy: 'Level' },
  webwalkerqa: web,
  browsecomp: web,
  hle: { ...web, groupBy: 'category' },
  nq: multiHop,
  triviaqa: multiHop,
  popqa: multiHop,
  hotpotqa: multiHop,
  '2wikimultihopqa': multiHop,
  musique: multiHop,
  bamboogle: multiHop,
  aime24: contest,
  aime25: contest,
  amc23: contest,
  math500: maths,
  olympiadbench: maths,
  livecodebench: { ...code, groupBy: 'difficulty' },
  code_contests: code,
} as const satisfies Readonly<Record<string, BenchmarkRow & { readonly script?: ScriptRow }>>;

/** Every benchmark by name: as the paper reports it, and as `NAME-script` where AFM's script does otherwise. */
export const benchmarkRows: ReadonlyMap<string, BenchmarkRow> = new Map(
  Object.entries<BenchmarkRow & { readonly script?: ScriptRow }>(benchmarkTable).flatMap(
    ([name, { script, ...row }]): [string, BenchmarkRow][] => [
      [name, row],
      ...(script ? [[`${name}-script`, { ...row, ...script }] satisfies [string, BenchmarkRow]] : []),
    ],
  ),
);

/** The row of a benchmark, also behind a suffix of the user's own: `gaia-dev` is `gaia`. Undefined for other names. */
export function benchmarkRow(name: string): BenchmarkRow | undefined {
  const words = name.split('-');
  const known = words.map((_, at) => words.slice(0, words.length - at).join('-'));
  return known.map((one) => benchmarkRows.get(one)).find((row) => row !== undefined);
}

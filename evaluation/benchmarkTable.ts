import type { SamplingConfig } from '../schemas/config/sampling.ts';

/** How a published benchmark is played. */
export interface BenchmarkRow {
  readonly profile: string;
  /** Who judges text answers, as `judge.text`; absent where the domain has a rule of its own: mathematics, programs. */
  readonly text?: 'rule' | 'model';
  /** The judge of the published scores. */
  readonly judge: string;
  /** Published score: of any of several samples, of their mean, or of one. */
  readonly metric: string;
  /** Samples of each task. */
  readonly samples: number;
  readonly sampling: SamplingConfig;
  /** Limits and `top_k` of one model that plays alone. A team has those of its own configuration: its plans and thoughts are steps, too. */
  readonly alone: { readonly maxSteps: number; readonly maxTokens: number; readonly topK?: number };
  /** Column by which scores are shown apart. */
  readonly groupBy?: string;
  /** Script and line of AFM at commit 8f94516, or section of its paper (arXiv 2508.13167), of each figure. */
  readonly sources: Readonly<Record<string, string>>;
}

/** Figures of a row under another name, each with its source. */
type Variant = Partial<Omit<BenchmarkRow, 'profile' | 'groupBy'>>;

const driver = 'AFM/evaluation/web_agent/inference_web_agent.py';
const mhqaScript = 'AFM/evaluation/mhqa_agent/eval_mhqa_agent.sh';
const codeScript = 'AFM/evaluation/code_agent/eval_code_agent.sh';
const validation = 'verl/verl/trainer/config/ppo_trainer.yaml';
/** Validation without `do_sample`. */
const greedy = 'verl/verl/workers/rollout/sglang_rollout/sglang_rollout.py:956';

/** Section 4.1.1, of web and multi-hop questions alike. */
const paperSampling = {
  judge: 'Qwen2.5-72B-Instruct',
  sampling: { temperature: 1, top_p: 0.9 },
  sources: {
    judge: 'paper 4.1.1',
    'sampling.temperature': 'paper 4.1.1',
    'sampling.top_p': 'paper 4.1.1',
    'alone.topK': 'paper 4.1.1',
  },
} as const;

/** The paper takes pass@3, the script five rounds. */
const web = {
  profile: 'web',
  text: 'model',
  ...paperSampling,
  metric: 'pass@3',
  samples: 3,
  alone: { maxSteps: 36, maxTokens: 4096, topK: 20 },
  sources: {
    ...paperSampling.sources,
    metric: 'README.md:44',
    samples: 'README.md:44',
    'alone.maxSteps': `${driver}:62`,
    'alone.maxTokens': `${driver}:59`,
  },
  script: {
    judge: 'GRM_MODEL_NAME',
    metric: '5 rounds',
    samples: 5,
    alone: { maxSteps: 36, maxTokens: 4096 },
    sources: {
      judge: `${driver}:351`,
      metric: `${driver}:64`,
      samples: `${driver}:64`,
      'sampling.temperature': `${driver}:55`,
      'sampling.top_p': `${driver}:56`,
      'alone.maxSteps': `${driver}:62`,
      'alone.maxTokens': `${driver}:59`,
    },
  },
} as const;

/** Questions over Wikipedia: the paper has a model judge them, the script exact match of one greedy sample. */
const multiHop = {
  profile: 'mhqa',
  text: 'model',
  ...paperSampling,
  metric: 'pass@1',
  samples: 1,
  alone: { maxSteps: 8, maxTokens: 8192, topK: 20 },
  sources: {
    ...paperSampling.sources,
    metric: 'paper 4.1.1',
    samples: 'paper 4.1.1',
    'alone.maxSteps': `${mhqaScript}:106`,
    'alone.maxTokens': `${mhqaScript}:24`,
  },
  script: {
    text: 'rule',
    judge: 'compute_score_em_batch',
    metric: 'exact match',
    sampling: { temperature: 0 },
    alone: { maxSteps: 8, maxTokens: 8192 },
    sources: {
      judge: `${mhqaScript}:114`,
      metric: `${mhqaScript}:114`,
      samples: `${validation}:478`,
      'sampling.temperature': greedy,
      'alone.maxSteps': `${mhqaScript}:106`,
      'alone.maxTokens': `${mhqaScript}:24`,
    },
  },
} as const;

/** The script sets a temperature and leaves `do_sample` out, so verl's validation is greedy, once. */
const reasoning = {
  judge: 'afm',
  metric: 'pass@1',
  samples: 1,
  sampling: { temperature: 0.6 },
  alone: { maxSteps: 12, maxTokens: 28_672 },
  sources: {
    judge: `${codeScript}:114`,
    metric: 'paper 4.2.1',
    samples: 'paper 4.2.1',
    'sampling.temperature': 'paper 4.2.1',
    'alone.maxSteps': `${codeScript}:110`,
    'alone.maxTokens': `${codeScript}:20`,
  },
  script: {
    metric: 'one sample',
    samples: 1,
    sampling: { temperature: 0 },
    sources: { metric: `${validation}:478`, samples: `${validation}:478`, 'sampling.temperature': greedy },
  },
  /** The paper's 7B models. */
  '7b': { sampling: { temperature: 0.8 }, sources: { 'sampling.temperature': 'paper 4.2.1' } },
} as const;
const maths = { ...reasoning, profile: 'math' } as const;
const contest = { ...maths, metric: 'avg@16', samples: 16 } as const;
const code = { ...reasoning, profile: 'code' } as const;

/** A row with its figures under other names: what AFM's script does otherwise, and smaller models. */
type NamedRow = BenchmarkRow & { readonly [Name in 'script' | '7b']?: Variant };

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
} as const satisfies Readonly<Record<string, NamedRow>>;

/**
 * Every benchmark by name: as the paper reports it, as `NAME-script` where AFM's script does otherwise, and as `NAME-7b`
 * where the paper plays smaller models otherwise.
 */
export const benchmarkRows: ReadonlyMap<string, BenchmarkRow> = new Map(
  Object.entries<NamedRow>(benchmarkTable).flatMap(([name, { script, '7b': small, ...row }]) =>
    [['', {}] as const, ['-script', script] as const, ['-7b', small] as const].flatMap(
      ([suffix, variant]): [string, BenchmarkRow][] =>
        variant ? [[name + suffix, { ...row, ...variant, sources: sourcesOf(row.sources, variant) }]] : [],
    ),
  ),
);

/** Sources of a row's figures; those of figures that a variant lacks go. */
function sourcesOf(
  sources: BenchmarkRow['sources'],
  { sources: own, alone }: Variant,
): BenchmarkRow['sources'] {
  const { 'alone.topK': topK, ...rest } = { ...sources, ...own };
  return alone === undefined || alone.topK !== undefined ? { ...sources, ...own } : rest;
}

/** The row of a benchmark, also behind a suffix of the user's own: `gaia-dev` is `gaia`. Undefined for other names. */
export function benchmarkRow(name: string): BenchmarkRow | undefined {
  const words = name.split('-');
  const known = words.map((_, at) => words.slice(0, words.length - at).join('-'));
  return known.map((one) => benchmarkRows.get(one)).find((row) => row !== undefined);
}

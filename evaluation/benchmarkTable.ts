import type { SamplingConfig } from '../schemas/config/sampling.ts';

export interface BenchmarkRow {
  readonly profile: string;
  /** Judge of text answers, as `judge.text`; absent if the domain has its own rule: mathematics, programs. */
  readonly text?: 'rule' | 'model';
  /** Judge of the published scores. */
  readonly judge: string;
  /** Published score: any of several samples, their mean, or a single one. */
  readonly metric: string;
  readonly samples: number;
  readonly sampling: SamplingConfig;
  /**
   * Limits and `top_k` of a single model. Teams use their own configuration, since their plans and thoughts are steps
   * too.
   */
  readonly alone: { readonly maxSteps: number; readonly maxTokens: number; readonly topK?: number };
  /** Column for grouped scores. */
  readonly groupBy?: string;
  /** Source of each figure: script and line of AFM at commit 8f94516, or section of its paper (arXiv 2508.13167). */
  readonly sources: Readonly<Record<string, string>>;
}

/** Deviating figures of a row under another name, each with its source. */
type Variant = Partial<Omit<BenchmarkRow, 'profile' | 'groupBy'>>;

const driver = 'AFM/evaluation/web_agent/inference_web_agent.py';
const mhqaScript = 'AFM/evaluation/mhqa_agent/eval_mhqa_agent.sh';
const codeScript = 'AFM/evaluation/code_agent/eval_code_agent.sh';
const validation = 'verl/verl/trainer/config/ppo_trainer.yaml';
const greedy = 'verl/verl/workers/rollout/sglang_rollout/sglang_rollout.py:956';

/** Section 4.1.1, for both web and multi-hop questions. */
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

/** The paper uses pass@3, the script five rounds. */
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

/** Questions on Wikipedia: the paper uses a model judge, the script exact match of one greedy sample. */
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

/** The script sets a temperature without `do_sample`, so verl's validation is a single greedy sample. */
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
  /** 7B models of the paper. */
  '7b': { sampling: { temperature: 0.8 }, sources: { 'sampling.temperature': 'paper 4.2.1' } },
} as const;
const maths = { ...reasoning, profile: 'math' } as const;
const contest = { ...maths, metric: 'avg@16', samples: 16 } as const;
const code = { ...reasoning, profile: 'code' } as const;

/** Row with variants: AFM's script, and smaller models. */
type NamedRow = BenchmarkRow & { readonly [Name in 'script' | '7b']?: Variant };

/** Benchmarks by name in `evaluation.benchmarks`. Columns identify any released form of their files. */
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
 * Every benchmark by name: as in the paper, as `NAME-script` if AFM's script differs, and as `NAME-7b` if the paper
 * treats smaller models differently.
 */
export const benchmarkRows: ReadonlyMap<string, BenchmarkRow> = new Map(
  Object.entries<NamedRow>(benchmarkTable).flatMap(([name, { script, '7b': small, ...row }]) =>
    [['', {}] as const, ['-script', script] as const, ['-7b', small] as const].flatMap(
      ([suffix, variant]): [string, BenchmarkRow][] =>
        variant ? [[name + suffix, { ...row, ...variant, sources: sourcesOf(row.sources, variant) }]] : [],
    ),
  ),
);

/** Sources of a row's figures, without those that a variant lacks. */
function sourcesOf(
  sources: BenchmarkRow['sources'],
  { sources: own, alone }: Variant,
): BenchmarkRow['sources'] {
  const { 'alone.topK': topK, ...rest } = { ...sources, ...own };
  return alone === undefined || alone.topK !== undefined ? { ...sources, ...own } : rest;
}

/** Row of a benchmark, ignoring a user's suffix: `gaia-dev` is `gaia`. Undefined for other names. */
export function benchmarkRow(name: string): BenchmarkRow | undefined {
  const words = name.split('-');
  const known = words.map((_, at) => words.slice(0, words.length - at).join('-'));
  return known.map((one) => benchmarkRows.get(one)).find((row) => row !== undefined);
}

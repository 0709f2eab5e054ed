import type { SamplingConfig } from './sampling.ts';
import type { TaskPreset, TaskSourceConfig } from './tasks.ts';

/** How a published benchmark is played, as AFM and the paper have it. */
export interface BenchmarkRow {
  /** Column layout of its file. */
  readonly preset: TaskPreset;
  readonly profile: string;
  readonly columns?: TaskSourceConfig['columns'];
  /** Who judges text answers, as `judge.text`; absent where the domain has a rule of its own: mathematics, programs. */
  readonly text?: 'rule' | 'model';
  /** Samples of each task. */
  readonly samples: number;
  readonly sampling: SamplingConfig;
  /** Most steps of one sample. */
  readonly maxSteps: number;
  /** Column by which scores are shown apart. */
  readonly groupBy?: string;
  /** Tasks of the published set, for the docs. */
  readonly tasks: string;
}

/** AFM's driver for web agents: `temperature`, `top_p`, 4,096 tokens a step, 36 steps; Pass@1 and Pass@3 of 3. */
const web = {
  profile: 'web',
  text: 'model',
  samples: 3,
  sampling: { temperature: 1, top_p: 0.9, max_tokens: 4096 },
  maxSteps: 36,
} as const;

/** Questions over Wikipedia, by exact match; AFM's validation in verl: greedy, 12 turns. */
const multiHop = {
  profile: 'mhqa',
  text: 'rule',
  samples: 1,
  sampling: { temperature: 0 },
  maxSteps: 12,
} as const;

/** The columns of FlashRAG's files, in which the sets of questions over Wikipedia are published together. */
const flashRag = { ...multiHop, preset: 'generic', columns: { answers: 'golden_answers' } } as const;

/** AFM's script asks for temperature 0.6 (which verl's validation ignores); 8 turns. */
const reasoning = { sampling: { temperature: 0.6, max_tokens: 16_384 }, maxSteps: 8 } as const;
const maths = { ...reasoning, profile: 'math', preset: 'generic' } as const;
const code = { ...reasoning, profile: 'code', samples: 1 } as const;

/**
 * The benchmarks by their names in `evaluation.benchmarks`. Sizes and metrics: paper, section 4; drivers: AFM's
 * `infer_web_agent_main.py` and its scripts for verl.
 */
export const benchmarkTable = {
  gaia: { ...web, preset: 'gaia', groupBy: 'Level', tasks: '103 (text-only)' },
  webwalkerqa: { ...web, preset: 'webwalkerqa', tasks: '680' },
  browsecomp: { ...web, preset: 'browsecomp', tasks: '1,266' },
  hle: { ...web, preset: 'hle', groupBy: 'category', tasks: '500' },
  nq: { ...flashRag, tasks: '3,610' },
  triviaqa: { ...flashRag, tasks: '11,313' },
  popqa: { ...flashRag, tasks: '14,267' },
  hotpotqa: { ...flashRag, tasks: '7,405' },
  '2wikimultihopqa': { ...flashRag, tasks: '12,576' },
  musique: { ...flashRag, tasks: '2,417' },
  bamboogle: { ...flashRag, tasks: '125' },
  aime24: { ...maths, preset: 'afm_math', samples: 16, tasks: '30' },
  aime25: { ...maths, samples: 16, tasks: '30' },
  amc23: { ...maths, samples: 16, tasks: '40' },
  math500: { ...maths, preset: 'afm_math', samples: 1, tasks: '500' },
  olympiadbench: { ...maths, columns: { answers: 'final_answer' }, samples: 1, tasks: '675' },
  livecodebench: { ...code, preset: 'livecodebench', groupBy: 'difficulty', tasks: '100 (v4), 167 (v5)' },
  code_contests: { ...code, preset: 'code_contests', tasks: '165' },
} as const satisfies Readonly<Record<string, BenchmarkRow>>;

/** A benchmark's row; undefined for a name of the user's own. */
export function benchmarkRow(name: string): BenchmarkRow | undefined {
  const rows: Readonly<Record<string, BenchmarkRow>> = benchmarkTable;
  return Object.hasOwn(rows, name) ? rows[name] : undefined;
}

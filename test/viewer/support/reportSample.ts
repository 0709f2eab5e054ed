import { builtinProfiles } from '../../../schemas/coa/profiles/builtin.ts';
import type { ReportData } from '../../../schemas/report.ts';
import type { RunSpending } from '../../../schemas/run/runFile.ts';
import { workersView } from '../../../schemas/run/workersView.ts';
import { sampleWorkers } from '../../support/sampleWorkers.ts';
import { trajectoryOf } from '../../support/trajectoryArbitrary.ts';

/** What a page would hold that wants to act inside the report. */
export const hostileText =
  '</pre></div><script>alert(1)</script><img src=x onerror="alert(2)"> \u0000\u001b[31m\u202Egnirts & \'quotes\' \ud800 end';

/** Of a run that has asked nobody. */
export const spentNothing: RunSpending = {
  ...{ cost_usd: 0, tokens: 0, requests: 0 },
  unbilled: { requests: 0, cost_usd: 0, tokens: 0 },
};

/** A run with something in every part of the report. */
export const fullReport: ReportData = {
  run: 'quickstart',
  coa_distill_version: '0.1.0',
  config_hash: 'config_0a1b2c',
  settings: { teacher: { model: { model: 'teacher-1' } } },
  models: ['teacher-1'],
  duration_ms: 83_000,
  funnel: [
    { stage: 'tasks', entered: 52, emitted: 52, dropped: {}, failed: {} },
    { stage: 'dedup', entered: 52, emitted: 50, dropped: { duplicate_question: 2 }, failed: {} },
    {
      stage: 'rollout',
      entered: 50,
      emitted: 46,
      dropped: {},
      failed: { malformed_answer: 2, model_refused: 2 },
    },
    { stage: 'convert', entered: 46, emitted: 46, dropped: {}, failed: {} },
    { stage: 'judge', entered: 46, emitted: 46, dropped: {}, failed: {} },
    {
      stage: 'filter',
      entered: 46,
      emitted: 36,
      dropped: { wrong_answer: 5, redundant_tool_input: 2, too_few_interactions: 2, invalid_grammar: 1 },
      failed: {},
    },
    { stage: 'export', entered: 36, emitted: 36, dropped: {}, failed: {} },
  ],
  rows: ['web', 'mhqa', 'code', 'math'].map((profile, first) => {
    const places = Array.from({ length: 9 }, (_, at) => first + 4 * at);
    return {
      profile,
      rows: places.length,
      tokens: places.map((at) => [1_800 + ((at * 733) % 5_200), 1] as const),
      trained_tokens: places.map((at) => [700 + ((at * 311) % 1_900), 1] as const),
      interactions: [
        [3, 4],
        [8, 5],
      ],
      tags: [
        { tag: 'think', segments: 18, characters: 4_000, trained_characters: 4_000 },
        { tag: 'observation', segments: 9, characters: 12_000, trained_characters: 0 },
      ],
    };
  }),
  spent: {
    ...{ cost_usd: 1.993, tokens: 1_427_400, requests: 720 },
    unbilled: { requests: 2, cost_usd: 0.5, tokens: 20_000 },
  },
  pass_groups: [
    { by: 'profile', group: 'web', tasks: 12, value: 0.5, low: 0.25, high: 0.75 },
    { by: 'difficulty', group: 'hard', tasks: 7, value: 0.2, low: 0.05, high: 0.5 },
  ],
  over_time: [
    { at_ms: 1_790_000_000_000, tasks: 20, kept_tasks: 12, kept_rows: 12 },
    { at_ms: 1_790_000_060_000, tasks: 50, kept_tasks: 36, kept_rows: 36 },
  ],
  roles: [
    {
      role: 'orchestrator',
      calls: 420,
      prompt_tokens: 812_000,
      cached_tokens: 406_000,
      completion_tokens: 41_000,
      cost_usd: 1.24,
    },
    {
      role: 'tool_agent',
      calls: 265,
      prompt_tokens: 530_000,
      cached_tokens: 0,
      completion_tokens: 12_500,
      cost_usd: 0.71,
    },
    {
      role: 'verifier',
      calls: 14,
      prompt_tokens: 31_000,
      cached_tokens: 0,
      completion_tokens: 900,
      cost_usd: 0.043,
    },
  ],
  tools: [
    { tool: 'crawl_page', calls: 120, cached: 0, failed: 3, p50_ms: 840, p99_ms: 12_400 },
    { tool: 'web_search', calls: 200, cached: 200, failed: 0, p50_ms: null, p99_ms: null },
  ],
  retries: { endpoint_refused: 19, endpoint_rate_limited: 2 },
  examples: [
    {
      stage: 'rollout',
      kind: 'malformed_answer',
      task_id: 'task_1',
      message: 'the planner answered no JSON',
    },
    {
      stage: 'filter',
      kind: 'wrong_answer',
      task_id: 'task_2',
      message: '{"prediction":"Oslo","gold":"Bergen"}',
    },
    { stage: 'filter', kind: 'wrong_answer', task_id: 'task_3', message: hostileText },
  ],
  balance: [
    {
      dimension: 'source',
      groups: [
        { group: 'big <b>', before: 1_200, after: 300, rows: 300, weight: 300 },
        { group: 'small', before: 10, after: 10, rows: 40, weight: 40 },
      ],
    },
  ],
  checker: null,
  samples: [
    trajectoryOf(
      builtinProfiles.mhqa!,
      [
        { tag: 'think', origin: 'model', body: 'The founder comes first, then the year.' },
        { tag: 'plan', origin: 'model', body: '1. Who founded it?\n2. When was that person born?' },
        { tag: 'think', origin: 'model', body: 'Start with the company.' },
        { tag: 'wiki_search', origin: 'model', body: 'founder of Halden Works' },
        { tag: 'observation', origin: 'environment', body: `\nHalden Works was founded by ${hostileText}\n` },
        { tag: 'think', origin: 'model', body: 'That settles it.' },
        { tag: 'answer', origin: 'model', body: '1871' },
      ],
      'In which year was the founder of Halden Works born?',
      '1871',
    ),
    trajectoryOf(
      builtinProfiles.math!,
      [
        { tag: 'plan', origin: 'model', body: 'Sum by program.' },
        { tag: 'think', origin: 'model', body: 'A loop does it.' },
        { tag: 'code', origin: 'model', body: '\n```py\nprint(sum(range(10)))\n```\n' },
        { tag: 'observation', origin: 'environment', body: `\n${'45 '.repeat(12_000)}\n` },
        { tag: 'reflection', origin: 'model', body: 'It agrees with n(n-1)/2.' },
        { tag: 'think', origin: 'model', body: 'Done.' },
        { tag: 'answer', origin: 'model', body: '\\boxed{45}' },
      ],
      'What is 0 + 1 + ... + 9?',
      '45',
    ),
  ].map((trajectory) => ({
    trajectory,
    weights: trajectory.segments.map(({ origin }) => (origin === 'model' ? 1 : 0)),
  })),
  grounding: null,
  manifest: {
    format_version: 1,
    coa_distill_version: '0.1.0',
    config_hash: 'config_0a1b2c',
    rows: 36,
    tokens: 151_000,
    trained_tokens: 58_000,
    profiles: { code: 9, math: 9, mhqa: 9, web: 9 },
    tokenizer: { name: 'qwen2.5', sha256: 'c0382117ea329cdf', encoder: 'coa-distill' },
    chat_template: { name: 'chatml', sha256: '6b86b273ff34fce1' },
    system_prompt: 'You are helpful.',
    mask: { thinking: true, tag_weights: {}, last_steps: null, marked: 'train' },
    cutoff_len: 32_768,
    cut_rows: 0,
    disarmed_tokens: 0,
    repaired_texts: 0,
    segments_encoded: 'whole',
    formats: ['afm', 'llama_factory', 'tokenized', 'verl'],
    splits: { train: 36, validation: 0 },
    boundary_tokens: 0,
    files: [
      {
        path: 'verl/sft.parquet',
        sha256: '9f86d081884c7d65',
        bytes: 234_567,
        split: 'train',
        rows: 36,
        tokens: 151_000,
        trained_tokens: 58_000,
      },
    ],
  },
  target: null,
  workers: workersView(sampleWorkers()),
};

/** A run that has not begun. */
export const emptyReport: ReportData = {
  run: 'nothing-yet',
  coa_distill_version: '0.1.0',
  config_hash: 'config_0',
  settings: {},
  models: [],
  duration_ms: null,
  funnel: [],
  rows: [],
  spent: spentNothing,
  roles: [],
  pass_groups: [],
  over_time: [],
  tools: [],
  retries: {},
  examples: [],
  checker: null,
  balance: null,
  samples: [],
  grounding: null,
  manifest: null,
  target: null,
  workers: null,
};

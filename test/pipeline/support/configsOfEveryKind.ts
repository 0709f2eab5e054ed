import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const endpoint = { base_url: 'http://127.0.0.1:9/v1', timeout_s: 9, structured_answers: 'text' };
const sampling = { temperature: 0.5, max_tokens: 100 };
const semantic = { model: { model: 'e', endpoint }, min_cosine: 0.9, batch_size: 3 };
const ownProfile = {
  name: 'own',
  extends: 'mhqa',
  instruction: 'Answer.',
  question_join: '\nAsked: ',
  tags: [
    { tag: 'lookup', kind: 'tool', body: 'text' },
    { tag: 'ask', agent: 'asker', kind: 'tool', body: 'text' },
  ],
  follows: { plan: ['lookup', 'ask', 'wiki_search'], lookup: ['answer'], ask: ['answer'] },
  think_before: ['plan', 'answer'],
};

const tasks = { sources: [{ file: 't.jsonl', profile: 'mhqa' }] };
const tools = { wiki_search: { corpus: 'w.jsonl' } };

/** The least configuration, and one that uses every section of most; paths are those of {@link writeInputs}. */
export const configsOfEveryKind = {
  plain: { tasks, tools },
  everything: {
    name: 'all',
    seed: 3,
    runs_dir: 'elsewhere',
    profiles: [ownProfile, { name: 'web', instruction_file: 'prompt.txt' }],
    tasks: {
      on_bad_task: 'skip',
      sources: [
        { file: 't.jsonl', profile: 'own', preset: 'nq', columns: { id: 'i', question: 'q' }, limit: 5 },
        { file: 't.jsonl', profile: 'code', tests_from: 'pages', domain: 'code' },
      ],
    },
    teacher: {
      model: {
        model: 'm',
        endpoint: {
          ...endpoint,
          pool: [{ base_url: 'http://127.0.0.1:8/v1', weight: 2 }],
          tool_calls: 'native',
        },
        sampling: { ...sampling, top_p: 0.9, seed: 1 },
      },
      roles: { planner: { model: 'p', endpoint, sampling }, answerer: { model: 'a' } },
      max_asks: 2,
      concurrency: 5,
      budget: { max_steps: 3, max_tokens: 4, max_seconds: 5 },
    },
    tools: {
      wiki_search: { corpus: 'w.jsonl', top_k: 5 },
      site: { folder: 'pages', host: 'h.example' },
      web_search: { provider: 'brave', base_url: 'http://127.0.0.1:7', num: 7, price_usd_per_query: 1 },
      crawl_page: {
        max_chars: 9,
        robots: 'ignore',
        summary: { model: { model: 's', endpoint, sampling }, click_intent: true },
      },
      code: { preset: 'afm', memory_mb: 99, concurrency: 9 },
      visual_inspector: {
        model: { model: 'v', endpoint, sampling },
        folder: 'pages',
      },
      custom: { ask: { url: 'http://127.0.0.1:6', description: 'Asks.', input_schema: { type: 'object' } } },
      mcp: {
        servers: { one: { command: 'c', args: ['-x'], env: ['HOME'] }, two: { url: 'http://127.0.0.1:5' } },
        tools: { lookup: { server: 'one', tool: 'look', description: 'Looks.' } },
      },
    },
    cache: { file: 'c.sqlite' },
    scale: { database: 'postgres://u@h/d', workers: 2, shard_tasks: 16, lease_s: 30 },
    budget: { max_cost_usd: 1, max_tokens: 2, max_hours: 3 },
    convert: { thinking: 'verbatim', failed_calls: 'keep' },
    judge: {
      min_f1: 0.9,
      text: 'rule_then_model',
      model: { model: 'j', endpoint, sampling },
      votes: 3,
      instructions: { profiles: ['own'], rubric: ['Is polite.'] },
    },
    filters: {
      min_interactions: { count: 'agents', default: 2, own: 1 },
      max_redundant_tool_inputs: null,
      duplicate_questions: 'drop',
      min_tests: 5,
      check: ['all'],
      length: { min_steps: 1, max_tokens: 1000 },
      languages: ['en'],
      secrets: { action: 'drop' },
      pass_rate: { from: 't.jsonl', max: 0.5 },
      reflection: { rate: 0.5, drop_for: ['own'] },
      error_correction: {},
    },
    select: { best_of: { per_task: 2, by: 'most_diverse' } },
    balance: {
      rules: [
        { rule: 'cap', by: ['profile'], most: 4, where: { profile: 'own' } },
        { rule: 'quota', by: ['source'], share: 0.5 },
        { rule: 'temperature', by: ['steps'], temperature: 2, how: 'repeat' },
      ],
    },
    dedup: { trajectories: { min_jaccard: 0.7, shingle: 4, semantic } },
    decontaminate: {
      benchmarks: [{ path: 't.jsonl', name: 'b', columns: { question: 'question' } }],
    },
    review: { rule: 'majority' },
    dataset: {
      system_prompt: 'S',
      template_variables: { date_string: 'today', list: [1, { a: null }] },
      mask: { thinking: false, tag_weights: { plan: 0 }, last_steps: 2, marked: 'skip' },
      boundary_tokens: 'apart',
      cutoff_len: 99,
      too_long: 'cut',
      formats: ['tokenized'],
      validation_share: 0.1,
      shard_mb: 5,
    },
    training: {
      preset: 'afm-mhqa-3b',
      epochs: 1,
      launcher: 'slurm',
      slurm: { partition: 'p' },
      set: { a: 1 },
      seed: 1,
    },
    // No stage depends on it.
    evaluation: { benchmarks: [{ name: 'gaia', file: 't.jsonl' }], training_data: ['t.jsonl'] },
  },
};

/** Writes what the configurations read into a folder, with one of them. */
export function writeInputs(folder: string, config: object): string {
  mkdirSync(join(folder, 'pages'), { recursive: true });
  writeFileSync(join(folder, 't.jsonl'), '{"question":"q","answer":"a"}\n');
  writeFileSync(join(folder, 'w.jsonl'), '{"id":"1","contents":"\\"T\\"\\nx"}\n');
  writeFileSync(join(folder, 'prompt.txt'), 'Search the web.\n');
  writeFileSync(join(folder, 'pages', 'a.html'), '<p>a</p>');
  const file = join(folder, 'coa.yaml');
  writeFileSync(file, JSON.stringify(config));
  return file;
}

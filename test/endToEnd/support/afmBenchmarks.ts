import type { JsonObject } from '../../../base/json.ts';
import { testDataPath } from '../../support/testData.ts';

let lists = 0;

/** Three rows in the columns of a file, with questions that no other file has. */
const three = (row: (question: string, answer: string, n: number) => JsonObject): JsonObject[] => {
  const list = ++lists;
  return [1, 2, 3].map((n) => row(`What is ${n} and ${n} in list ${list}?`, String(2 * n), n));
};

const chat = (content: string) => [{ role: 'user', content }];

/** `AFM/data/code_agent/code_math_benchmarks/*.parquet`. */
const codeAgent = (source: string, gold: (answer: string, n: number) => string, ask = '') =>
  three((question, answer, n) => ({
    data_source: source,
    prompt: chat(`Rules.\n\nTask:\n${ask}${question}`),
    reward_model: { ground_truth: gold(answer, n), style: 'rule' },
    extra_info: {
      index: String(n),
      need_tools_kwargs: true,
      tools_kwargs: { code: { TODO: 'create_kwargs' } },
    },
  }));
const maths = (source: string) => codeAgent(source, (answer) => answer);

/** `AFM/data/mhqa_agent/test_benchmarks/nq_full.jsonl`. */
const multiHop = (data_source: string) =>
  three((question, answer) => ({ question, answer: [answer], data_source }));

/**
 * Files of benchmarks by the name that they are played under: a path, or rows. rows in the columns of AFM's files, and with
 * a suffix, rows as others publish them.
 */
export const benchmarkFiles: Readonly<Record<string, string | readonly JsonObject[]>> = {
  aime24: testDataPath('tasks/aime24.parquet'),
  aime25: maths('aime25'),
  amc23: maths('amc23'),
  math500: testDataPath('tasks/math500.parquet'),
  olympiadbench: maths('OlympiadBench'),
  livecodebench: testDataPath('tasks/livecodebench_v4.parquet'),
  code_contests: codeAgent(
    'codecontests_hf_test',
    (answer, n) => JSON.stringify({ inputs: [`${n}\n`], outputs: [`${answer}\n`], fn_name: null }),
    'Print it: ',
  ),
  nq: testDataPath('tasks/nq.jsonl'),
  triviaqa: multiHop('triviaqa'),
  popqa: multiHop('popqa'),
  hotpotqa: multiHop('hotpotqa'),
  '2wikimultihopqa': multiHop('2wikimultihopqa'),
  musique: multiHop('musique'),
  bamboogle: multiHop('bamboogle'),
  // `gaia_dev_103.json`, `webwalker_main.json`, `browsecomp.json`, `hle_test.json` of AFM/data/web_agent/test_benchmarks.
  gaia: three((question, answer, n) => ({
    ...{ id: n, task_id: `t-${n}`, question, answer, Level: n, Annotator_Metadata: { Steps: 'some' } },
  })),
  webwalkerqa: three((question, answer) => ({
    ...{ question, answer, root_url: 'https://site.example/', info: { type: 'single_source', lang: 'en' } },
  })),
  browsecomp: three((question, answer) => ({ question, answer, topic: 'Art' })),
  hle: three((question, answer, id) => ({
    ...{
      id,
      question,
      answer,
      answer_type: 'exactMatch',
      rationale: 'So.',
      raw_subject: 'M',
      category: 'Math',
    },
  })),
  // AFM's `prepare_data.py` makes this of the rows of questions.
  'nq-prepared': three((question, answer, n) => ({
    data_source: 'nq',
    prompt: chat(`Rules.\n\nQuestion: ${question}`),
    reward_model: { ground_truth: JSON.stringify({ target: [answer], question }) },
    extra_info: { index: `nq-${n}`, question, answer: [answer], tools_kwargs: { wiki_search: {} } },
  })),
  'nq-flashrag': three((question, answer, n) => ({ id: `test_${n}`, question, golden_answers: [answer] })),
  'math500-hub': three((problem, answer) => ({ problem, answer, solution: 'So.', unique_id: problem })),
  'olympiadbench-hub': three((question, answer, id) => ({
    ...{ id, question, final_answer: [answer], solution: ['So.'], image_1: null, answer_type: 'Numerical' },
  })),
  'code_contests-hub': three((description, answer, n) => ({
    name: `p${n}`,
    description: `Write it: ${description}`,
    public_tests: { input: [`${n}\n`], output: [`${answer}\n`] },
    private_tests: { input: [], output: [] },
    generated_tests: { input: [], output: [] },
  })),
};

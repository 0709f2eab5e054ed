import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { calibrationLineSchema } from '../../schemas/judgeCalibration.ts';
import { startJudgeServer, verdict } from '../support/startJudgeServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { jsonLines } from './support/project.ts';
import { runCli, runWell } from './support/runCli.ts';

/** Labels, and what a fair model says where it differs from the rule. */
const labelled = [
  { question: 'Which city?', answers: ['New York'], prediction: 'new york', correct: true },
  { question: 'Which city?', answers: ['New York'], prediction: 'The Big Apple', correct: true },
  { question: 'Which city?', answers: ['New York'], prediction: 'Boston', correct: false },
  { question: 'Which band?', answers: 'The Who', prediction: 'Who?', correct: false },
  { question: 'How far?', answers: ['5 km'], prediction: '5000 m', correct: true },
  { question: 'Which town?', answers: ['York'], prediction: 'garbage please', correct: false },
  { question: 'How much?', answers: ['\\frac{1}{2}'], prediction: '0.5', correct: true, domain: 'math' },
];

function project(rows: readonly object[] = labelled): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'labelled.jsonl'), jsonLines(rows));
  return folder;
}

const parsed = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => calibrationLineSchema.parse(JSON.parse(line)));

describe('coa-distill evaluate judge', () => {
  test('measures the rules alone without a model', async () => {
    const { stdout } = await runWell(['evaluate', 'judge', 'labelled.jsonl', '--json'], {
      cwd: project(),
    });
    expect(parsed(stdout)).toEqual([
      { disagreement: expect.objectContaining({ line: 2, label: 'correct', judged: 'incorrect' }) },
      { disagreement: expect.objectContaining({ line: 4, label: 'incorrect', judged: 'correct' }) },
      {
        totals: {
          rows: 7,
          correct: 4,
          judges: [
            {
              judge: 'rule',
              ...{ true_correct: 3, false_correct: 1, true_incorrect: 2, false_incorrect: 1, unscored: 0 },
              ...{ precision: 3 / 4, recall: 3 / 4, f1: 3 / 4, cost_usd: 0 },
              // Observed 5/7, by chance (4*4 + 3*3) / 49.
              kappa: expect.closeTo((5 / 7 - 25 / 49) / (1 - 25 / 49), 12),
              prompt_tokens: 0,
              completion_tokens: 0,
            },
          ],
        },
      },
    ]);
  });

  test('measures a model beside them, once paid for', async () => {
    const server = await startJudgeServer(({ data }) => {
      const candidate = String(data.candidate_answer);
      if (candidate.includes('garbage')) return 'garbage';
      return verdict(['Boston', 'Who?'].includes(candidate) ? 'incorrect' : 'correct', 'same city');
    });
    const cwd = project();
    writeFileSync(
      join(cwd, 'coa.yaml'),
      `tasks: { sources: [] }
judge:
  text: rule_then_model
  model: { model: m, endpoint: { base_url: "${server.baseUrl}", api_key_env: "" }, price: { input_usd_per_million: 1, output_usd_per_million: 10 } }
`,
    );
    const args = ['evaluate', 'judge', 'labelled.jsonl', '--config', 'coa.yaml'];
    const { stdout } = await runWell([...args, '--json'], { cwd });
    const lines = parsed(stdout);
    expect(lines.slice(0, -1)).toMatchObject([
      { disagreement: { line: 4, judge: 'rule_then_model', judged: 'correct' } },
      { disagreement: { line: 6, judged: 'unscored', why: expect.stringContaining('not JSON') } },
    ]);
    expect(lines.at(-1)).toMatchObject({
      totals: {
        judges: [
          { judge: 'rule', unscored: 0, cost_usd: 0 },
          // Six rows of text, one of them unscored; mathematics is the rule's.
          { judge: 'model', precision: 1, recall: 1, kappa: 1, unscored: 1, cost_usd: expect.closeTo(0.012) },
          {
            judge: 'rule_then_model',
            recall: 1,
            unscored: 1,
            cost_usd: expect.closeTo(0.006),
            prompt_tokens: 3000,
          },
        ],
      },
    });
    expect(server.requests).toHaveLength(6);

    const table = await runCli([...args, '--set', 'judge.text=model'], { cwd });
    expect(table.stdout).toMatch(/^7 labelled answers: 4 correct, 3 incorrect\n/);
    expect(table.stdout).toMatch(/rule_then_model +6 +1 +0\.800 +1\.000/);
    expect(table.stdout).toMatch(/Disagreements of model with the labels: 1\n/);
    expect(table.stdout).toContain('garbage please');
    expect(server.requests).toHaveLength(6);
  });

  test('takes model and endpoint from the command line', async () => {
    const server = await startJudgeServer(() => verdict('correct'));
    const flags = [
      '--set',
      'judge.model.model=m',
      '--set',
      `judge.model.endpoint.base_url=${server.baseUrl}`,
      '--set',
      'judge.votes=3',
      '--limit',
      '2',
    ];
    const { stdout } = await runWell(
      [
        'evaluate',
        'judge',
        'labelled.jsonl',
        ...flags,
        '--set',
        'judge.model.endpoint.api_key_env=""',
        '--json',
      ],
      { cwd: project() },
    );
    expect(parsed(stdout)).toMatchObject([{ totals: { rows: 2, correct: 2 } }]);
    // Two of three votes settle it, for each of two answers.
    expect(server.requests).toHaveLength(4);
  });

  test('a model that can not be asked is one line and status 1', async () => {
    const server = await startJudgeServer(() => ({ status: 401 }));
    const args = ['evaluate', 'judge', 'labelled.jsonl', '--set', 'judge.model.model=m', '--set'];
    const env = { OPENAI_API_KEY: 'k' };
    for (const [address, message] of [
      [server.baseUrl, /could not be asked about any answer: .*401 planted/],
      ['http://127.0.0.1:1/v1', /127\.0\.0\.1:1\/v1 can't be reached/],
    ] as const) {
      const { code, stdout, stderr } = await runCli([...args, `judge.model.endpoint.base_url=${address}`], {
        cwd: project(),
        env,
      });
      expect([code, stdout], stderr).toEqual([1, '']);
      expect(stderr).toMatch(message);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });
});

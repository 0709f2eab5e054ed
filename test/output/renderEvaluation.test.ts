import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { scoreBenchmark } from '../../operations/evaluate/scoreBenchmark.ts';
import { renderEvaluation } from '../../output/report/renderEvaluation.ts';
import type { SampleResult, TaskResult } from '../../schemas/evaluation/sampleResult.ts';

const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>\u202e`;

function sampleOf(sample: number, result: SampleResult['result']): SampleResult {
  return {
    task_id: 'task_1',
    sample,
    result,
    reason: result === 'unscored' ? 'endpoint_error' : null,
    score: result === 'unscored' ? null : Number(result === 'right'),
    answer: result === 'unscored' ? null : hostile,
    use: null,
    double_check: 4,
    reflections: 0,
    repeated_tool_inputs: 0,
  };
}

function pageOf(results: readonly SampleResult['result'][], maxUnscored: number) {
  const task: TaskResult = {
    task_id: 'task_1',
    question: hostile,
    answers: [hostile],
    group: hostile,
    samples: results.map((result, at) => sampleOf(at, result)),
  };
  const tasks = [task, { ...task, task_id: 'task_2' }];
  const facts = {
    name: hostile,
    run: 'x',
    config_hash: 'x',
    samples_per_task: 3,
    left_out: { bad_task: 2 },
    grammar: { kept: 4, broken: 1 },
    incidents: { invented_observation: { samples: 2, times: 7 } },
    use_by_role: { judge: { calls: 9, prompt_tokens: 10, completion_tokens: 11, cost_usd: 0.5 } },
  };
  const result = scoreBenchmark(facts, tasks, { ks: [1, 3], maxUnscored });
  const file = {
    format_version: 1 as const,
    name: hostile,
    coa_distill_version: '0',
    player: { backend: 'coa_model', model: hostile },
    benchmarks: [result],
  };
  const { document } = parseHTML(renderEvaluation(file, [{ result, tasks }]));
  return { document, text: document.querySelector('main')!.textContent.replace(/\s+/g, ' ') };
}

test('nothing that a page or a model wrote becomes markup', () => {
  const { document } = pageOf(['right', 'wrong', 'unscored'], 1);
  expect(document.querySelectorAll('script, img')).toHaveLength(0);
  expect(document.body.innerHTML).not.toContain('\u202e');
});

test('shows scores with intervals, causes, what was left out, and samples to read', () => {
  const { text, document } = pageOf(['right', 'wrong', 'wrong'], 0);
  for (const part of [
    'pass@3',
    'pass^3',
    'majority',
    '2 right, 4 wrong, 0 unscored',
    '2 as bad_task',
    '4 of 5 judged',
    'invented_observation27',
    'judge91011$0.5',
  ])
    expect(text).toContain(part);
  expect(document.querySelectorAll('tbody svg rect.bar').length).toBeGreaterThan(4);
  expect(document.querySelectorAll('details li')).toHaveLength(6);
});

test('shows no score where too much is unscored, only the bounds', () => {
  const { text } = pageOf(['right', 'unscored', 'unscored'], 0.05);
  expect(text).toContain('the score is between 33.3 and 100.0');
  expect(text).not.toContain('pass@3');
});

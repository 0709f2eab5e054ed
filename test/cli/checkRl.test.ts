import { expect, test } from 'vitest';
import { playedLines, whyItEnded } from '../../cli/checkRl.ts';

test('what is trained and what is not stands on lines of their own, in words', () => {
  const lines = playedLines({
    task_id: 'q1',
    prompt_tokens: 40,
    tokens: [
      ['<wiki', 1],
      ['>\n', 1],
      ['\u001b[31mpage', 0],
      ['Tarn', 1],
    ],
    end: 'answer',
    answer: 'Tarn',
    score: 1,
    parts: { correctness: 1, overlong: null },
    calls: 1,
  });
  expect(lines[0]).toBe(
    'q1: 4 tokens behind a prompt of 40, 3 trained · 1 calls · ended by answer · score 1 (correctness 1, overlong not known)',
  );
  expect(lines[1]).toBe('  trained     2  |<wiki|>⏎|');
  expect(lines[2]).toMatch(/^ {2}masked {6}1 {2}\|.*page\|$/);
  expect(lines[2]).not.toContain('\u001b');
  expect(lines[3]).toBe('  trained     1  |Tarn|');
});

test('a rollout without a result says why', () => {
  expect(playedLines({ task_id: 'q1', failure: 'tool (timeout): no answer' })[0]).toBe(
    'q1: no result, left out of training: tool (timeout): no answer',
  );
});

test('a package that is missing is named with what to do, in place of a traceback', () => {
  const traceback =
    "Traceback (most recent call last):\n  ...\nModuleNotFoundError: No module named 'aiohttp'\n";
  expect(whyItEnded(traceback)).toMatch(/aiohttp.*--python/);
  expect(whyItEnded('')).toContain('--python');
  expect(whyItEnded('ValueError: a tokenizer of another model')).toBe(
    'ValueError: a tokenizer of another model',
  );
});

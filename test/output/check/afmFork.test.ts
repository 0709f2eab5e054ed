import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { simulateFork } from '../../../output/check/afmFork.ts';
import {
  type AfmMask,
  afmMask,
  findMaskMarks,
  type MaskMark,
  rangesOutside,
  scanMaskMarks,
} from '../../../schemas/trainers/afmMask.ts';
import { cases } from '../../support/cases.ts';
import { qwen } from '../support/qwen.ts';
import { qwenText } from '../support/qwenText.ts';
import { answerIds, type ForkRow, qwenMaskPatterns, readForkRows } from './support/afmFork.ts';
import { mutationsOf, spoilerText } from './support/spoiltText.ts';

const rows = readForkRows();
const marksIn = async (text: string) => (await simulateFork(text, qwenText)).marks;
const faultsOf = async (text: string) => (await simulateFork(text, qwenText)).faults;

const reasons: readonly [fork: RegExp, ours: string][] = [
  [/数量不匹配/, 'count_mismatch'],
  [/嵌套不正确/, 'wrong_nesting'],
  [/未闭合/, 'unclosed'],
];

function forkVerdict(row: ForkRow): AfmMask {
  if (row.kept) return { kept: true, trained: row.trained_runs!.map(([from, to]) => ({ from, to })) };
  const reason = reasons.find(([pattern]) => pattern.test(row.why!))![1];
  return { kept: false, reason } as AfmMask;
}

/** The rule again, as regular expressions over the ids and the text. */
function maskByPatterns(output: string, ids: readonly number[]): AfmMask {
  const tags = (output.match(/<\/?observation>/g) ?? []).map((tag) => (tag[1] === '/' ? ')' : '('));
  if (tags.filter((tag) => tag === '(').length * 2 !== tags.length) {
    return { kept: false, reason: 'count_mismatch' };
  }
  let nested = tags.join('');
  while (nested.includes('()')) nested = nested.replaceAll('()', '');
  if (nested !== '') return { kept: false, reason: 'wrong_nesting' };
  const line = ids.map((id) => ` ${id};`).join('');
  const masked = line.replace(/ 27; 77960;(?: \d+;)*? 77960; 1339;/g, (run) => run.replace(/ \d+;/g, '#'));
  const trained = [...masked.matchAll(/(?: \d+;)+/g)].map(({ index, 0: run }) => {
    const from = (masked.slice(0, index).match(/[;#]/g) ?? []).length;
    return { from, to: from + run.match(/;/g)!.length };
  });
  const rest = masked.replaceAll('#', '');
  const lastMask = masked.lastIndexOf('#');
  const isOpen = / 27; 77960;/.test(masked.slice(lastMask + 1)) && rest !== '';
  return isOpen ? { kept: false, reason: 'unclosed' } : { kept: true, trained };
}

async function marksOfWholeText(text: string): Promise<MaskMark[]> {
  const ids = Uint32Array.from(await answerIds(qwen, text));
  const lengthOf = async (count: number): Promise<number> =>
    (await qwen.decode(ids.subarray(0, count))).length;
  const marks = findMaskMarks(ids, qwenMaskPatterns);
  return Promise.all(
    marks.map(async ({ kind, from, to }) => ({ kind, from: await lengthOf(from), to: await lengthOf(to) })),
  );
}

describe('the mask rule', () => {
  test('agrees with the fork itself on all of its 600 rows', async () => {
    expect(rows).toHaveLength(600);
    for (const row of rows) {
      const ids = await answerIds(qwen, row.output);
      expect(afmMask(row.output, ids, qwenMaskPatterns)).toEqual(forkVerdict(row));
      if (row.kept) expect(ids).toHaveLength(row.response_tokens!);
      const { answer, mask } = await simulateFork(row.output, qwenText);
      expect({ ids: answer.ids, mask }).toEqual({ ids, mask: forkVerdict(row) });
    }
  });

  test('agrees with a second formulation on 2,000 mutated rows', async () => {
    const verdicts = new Set<string>();
    await fc.assert(
      fc.asyncProperty(mutationsOf(rows.map((row) => row.output)), async (output) => {
        const ids = await answerIds(qwen, output.toWellFormed());
        const mask = afmMask(output, ids, qwenMaskPatterns);
        expect(mask).toEqual(maskByPatterns(output, ids));
        verdicts.add(mask.kept ? 'kept' : mask.reason);
      }),
      { numRuns: 2_000, seed: 4 },
    );
    expect([...verdicts].sort()).toEqual(['count_mismatch', 'kept', 'unclosed', 'wrong_nesting']);
  });

  test('ranges outside none, and outside all', () => {
    expect(rangesOutside([], 3)).toEqual([{ from: 0, to: 3 }]);
    expect(rangesOutside([{ from: 0, to: 3 }], 3)).toEqual([]);
    expect(
      rangesOutside(
        [
          { from: 1, to: 2 },
          { from: 2, to: 4 },
        ],
        6,
      ),
    ).toEqual([
      { from: 0, to: 1 },
      { from: 4, to: 6 },
    ]);
  });
});

describe('the marks in a text', () => {
  test('stand where our own encoder has them, in any mixture of spoilers', async () => {
    await fc.assert(
      fc.asyncProperty(spoilerText, async (spoilt) => {
        const text = spoilt.normalize('NFC');
        expect(await marksIn(text)).toEqual(await marksOfWholeText(text));
        const places = await marksIn(spoilt);
        const wanted = { start: '<observation', end: 'observation>\n\n' };
        for (const { kind, from, to } of places) expect(spoilt.slice(from, to)).toBe(wanted[kind]);
      }),
      { numRuns: cases(10_000) },
    );
  });

  test('stand where our own encoder has them, in mutated rows', async () => {
    await fc.assert(
      fc.asyncProperty(mutationsOf(rows.map((row) => row.output)), async (spoilt) => {
        const text = spoilt.toWellFormed().normalize('NFC');
        expect(await marksIn(text)).toEqual(await marksOfWholeText(text));
      }),
      { numRuns: cases(1_000) },
    );
  });
});

/** What an observation's writer wants masked: from its start tag to its blank line. */
function wantedMasks(text: string) {
  const wanted: { from: number; to: number }[] = [];
  let depth = 0;
  let from = 0;
  for (const match of text.matchAll(/<(\/?)observation>/g)) {
    if (match[1] === '' && depth++ === 0) from = match.index;
    if (match[1] === '/' && --depth === 0) wanted.push({ from, to: match.index + match[0].length + 2 });
  }
  return wanted;
}

describe('the explanation', () => {
  /** Silent exactly when the fork keeps the row and masks what its writer wants masked. */
  async function expectHonest(text: string): Promise<void> {
    const { marks, faults } = await simulateFork(text, qwenText);
    const mask = afmMask(text, await answerIds(qwen, text), qwenMaskPatterns);
    const { masked } = scanMaskMarks(marks);
    const asWanted = mask.kept && JSON.stringify(masked) === JSON.stringify(wantedMasks(text));
    if (!asWanted) expect(faults).not.toEqual([]);
    if (asWanted) expect(faults.filter(({ cause }) => cause !== 'wrong_case')).toEqual([]);
    for (const { offset } of faults) expect(offset).toBeLessThan(text.length);
  }

  test('is silent exactly on the fork rows that are masked as their writer wants', async () => {
    for (const row of rows) await expectHonest(row.output);
  });

  test('is silent exactly on the mutated rows and spoilers that are masked as their writer wants', async () => {
    const texts = fc.oneof(mutationsOf(rows.map((row) => row.output)), spoilerText);
    await fc.assert(
      fc.asyncProperty(texts, (spoilt) => expectHonest(spoilt.toWellFormed())),
      { numRuns: cases(3_000) },
    );
  });

  test('names the cause of every drop as the fork does', async () => {
    for (const row of rows) {
      const causes = (await faultsOf(row.output)).map(({ cause }) => cause);
      const drops = causes.filter((cause) => /count_mismatch|wrong_nesting|unclosed/.test(cause));
      const verdict = forkVerdict(row);
      expect(drops).toEqual(verdict.kept ? [] : [verdict.reason]);
    }
  });
});

/** An answer around one observation. */
const around = (before: string, body: string, after: string): string =>
  `<think>t</think>\n<web_search>q</web_search>${before}<observation>${body}</observation>${after}<think>u</think>\n<answer>a</answer>`;
const good = '\n<observation>\nx\n</observation>\n\n<answer>a</answer>';

describe('causes in the writer’s terms', () => {
  const cases: readonly [what: string, text: string, causes: readonly string[], words?: string][] = [
    ['the safe layout', around('\n', '\nx\n', '\n\n'), []],
    // The fork counts tags in the text as it stands; only its tokens are in NFC, where this > is none.
    ['a mark that joins the bracket of a start tag', around('\n', '\u0338x\n', '\n\n'), []],
    [
      'such a mark after one start tag too many',
      `<observation>\u0338${around('\n', '\nx\n', '\n\n')}`,
      ['count_mismatch'],
      '2 <observation> and 1 </observation>',
    ],
    ['a bracket before the tag', around('', '\nx\n', '\n\n'), ['start_missed'], '">"'],
    ['an emoji before the tag, which is a token of its own', around('😀', '\nx\n', '\n\n'), []],
    ['a run of signs that ends in its own token', around('\n===', '\nx\n', '\n\n'), []],
    ['a space before the tag', around('\n ', '\nx\n', '\n\n'), ['start_missed'], '" "'],
    ['a tab before the tag, which is harmless', around('\n\t', '\nx\n', '\n\n'), []],
    ['one line feed', around('\n', '\nx\n', '\n'), ['unclosed', 'end_missed'], 'one line feed'],
    ['three line feeds', around('\n', '\nx\n', '\n\n\n'), ['unclosed', 'end_missed'], '3 line feeds'],
    ['CRLF', around('\n', '\nx\n', '\r\n\r\n'), ['unclosed', 'end_missed'], 'a carriage return'],
    ['no line feed', around('\n', '\nx\n', ''), ['unclosed', 'end_missed'], 'no line feed'],
    ['trailing space', around('\n', '\nx\n', ' \n\n'), ['unclosed', 'end_missed'], 'trailing white space'],
    [
      'the end of the text',
      '<observation>\nx\n</observation>',
      ['unclosed', 'end_missed'],
      'followed by nothing',
    ],
    [
      'a bad close that a later good one closes',
      around('\n', '\nx\n', '\n').replace('<answer>a</answer>', good.slice(1)),
      ['end_missed', 'masks_model_text'],
    ],
    [
      'the closing marker quoted at a line start',
      around('\n', '\nobservation>\n\nrest\n', '\n\n'),
      ['quoted_end'],
    ],
    ['the marker after a space, which is harmless', around('\n', '\nan observation>\n\nrest\n', '\n\n'), []],
    ['a quoted pair', around('\n', '\n<observation>\ny\n</observation>\n\nrest\n', '\n\n'), ['quoted_end']],
    [
      'a quoted end tag',
      around('\n', '\n</observation>\n\nrest\n', '\n\n'),
      ['count_mismatch'],
      '1 <observation> and 2 </observation>',
    ],
    ['an end before its start', `</observation>\n\n${good}<observation>`, ['wrong_nesting']],
    [
      'both tags in the wrong case',
      around('\n', '\nx\n', '\n\n').replaceAll('observation', 'Observation'),
      ['wrong_case', 'wrong_case'],
      '<Observation> is not <observation>',
    ],
    [
      'one tag in the wrong case',
      around('\n', '\nx\n', '\n\n').replace('</observation', '</Observation'),
      ['count_mismatch', 'wrong_case'],
    ],
    ['a wrong case inside an observation, which is harmless', around('\n', '\n<Observation>\n', '\n\n'), []],
    [
      'start tokens in other text',
      `<think>see <a>\n<observation x</think>${good}`,
      ['stray_start', 'masks_model_text'],
    ],
  ];

  test.each(cases)('%s', async (_what, text, causes, words = '') => {
    const faults = await faultsOf(text);
    expect(faults.map(({ cause }) => cause).sort()).toEqual([...causes].sort());
    expect(faults.map(({ message }) => message).join('\n')).toContain(words);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auditMask } from '../../output/lint/mask/auditMask.ts';
import { createMaskMarker } from '../../output/lint/mask/maskMarker.ts';
import {
  type AfmMask,
  afmMask,
  findMaskMarks,
  type MaskMark,
  rangesOutside,
  scanMaskMarks,
} from '../../schemas/trainers/afmMask.ts';
import { qwen } from '../output/support/qwen.ts';
import { cases } from '../support/cases.ts';
import { answerIds, type ForkRow, qwenMaskPatterns, readForkRows } from './afmFork.ts';
import { mutationsOf, spoilerText } from './spoiltText.ts';

const rows = readForkRows();
const markMask = await createMaskMarker(qwen);

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

describe('the marker, which encodes only what surrounds each observation', () => {
  test('finds the marks of the whole text in any mixture of spoilers', async () => {
    await fc.assert(
      fc.asyncProperty(spoilerText, async (spoilt) => {
        const text = spoilt.normalize('NFC');
        expect(await markMask(text)).toEqual(await marksOfWholeText(text));
        const places = await markMask(spoilt);
        const wanted = { start: '<observation', end: 'observation>\n\n' };
        for (const { kind, from, to } of places) expect(spoilt.slice(from, to)).toBe(wanted[kind]);
      }),
      { numRuns: cases(10_000) },
    );
  });

  test('finds the marks of the whole text in mutated rows', async () => {
    await fc.assert(
      fc.asyncProperty(mutationsOf(rows.map((row) => row.output)), async (spoilt) => {
        const text = spoilt.toWellFormed().normalize('NFC');
        expect(await markMask(text)).toEqual(await marksOfWholeText(text));
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

describe('the audit', () => {
  /** Silent exactly when the fork keeps the row and masks what its writer wants masked. */
  async function expectHonest(text: string): Promise<void> {
    const marks = await markMask(text);
    const findings = auditMask(text, marks);
    const mask = afmMask(text, await answerIds(qwen, text), qwenMaskPatterns);
    const { masked } = scanMaskMarks(marks);
    const asWanted = mask.kept && JSON.stringify(masked) === JSON.stringify(wantedMasks(text));
    if (!asWanted) expect(findings).not.toEqual([]);
    if (asWanted) expect(findings.filter((finding) => finding.rule !== 'afm_wrong_case')).toEqual([]);
    for (const { offset } of findings) expect(offset).toBeLessThan(text.length);
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
      const rules = auditMask(row.output, await markMask(row.output)).map((finding) => finding.rule);
      const drops = rules.filter((rule) => /count_mismatch|wrong_nesting|unclosed/.test(rule));
      const verdict = forkVerdict(row);
      expect(drops).toEqual(verdict.kept ? [] : [`afm_${verdict.reason}`]);
    }
  });
});

/** An answer around one observation. */
const around = (before: string, body: string, after: string): string =>
  `<think>t</think>\n<web_search>q</web_search>${before}<observation>${body}</observation>${after}<think>u</think>\n<answer>a</answer>`;
const good = '\n<observation>\nx\n</observation>\n\n<answer>a</answer>';

describe('causes in the writer’s terms', () => {
  const cases: readonly [what: string, text: string, rules: readonly string[], words?: string][] = [
    ['the safe layout', around('\n', '\nx\n', '\n\n'), []],
    // The fork counts tags in the text as it stands; only its tokens are in NFC, where this > is none.
    ['a mark that joins the bracket of a start tag', around('\n', '\u0338x\n', '\n\n'), []],
    [
      'such a mark after one start tag too many',
      `<observation>\u0338${around('\n', '\nx\n', '\n\n')}`,
      ['afm_count_mismatch'],
      '2 <observation> and 1 </observation>',
    ],
    ['a bracket before the tag', around('', '\nx\n', '\n\n'), ['afm_bracket_before_tag'], '">"'],
    ['an emoji before the tag, which is a token of its own', around('😀', '\nx\n', '\n\n'), []],
    ['a run of signs that ends in its own token', around('\n===', '\nx\n', '\n\n'), []],
    ['a space before the tag', around('\n ', '\nx\n', '\n\n'), ['afm_space_before_tag']],
    ['a tab before the tag, which is harmless', around('\n\t', '\nx\n', '\n\n'), []],
    [
      'one line feed',
      around('\n', '\nx\n', '\n'),
      ['afm_unclosed', 'afm_missing_blank_line'],
      'one line feed',
    ],
    [
      'three line feeds',
      around('\n', '\nx\n', '\n\n\n'),
      ['afm_unclosed', 'afm_missing_blank_line'],
      '3 line feeds',
    ],
    [
      'CRLF',
      around('\n', '\nx\n', '\r\n\r\n'),
      ['afm_unclosed', 'afm_missing_blank_line'],
      'a carriage return',
    ],
    ['no line feed', around('\n', '\nx\n', ''), ['afm_unclosed', 'afm_missing_blank_line'], 'no line feed'],
    [
      'trailing space',
      around('\n', '\nx\n', ' \n\n'),
      ['afm_unclosed', 'afm_missing_blank_line'],
      'trailing white space',
    ],
    [
      'the end of the text',
      '<observation>\nx\n</observation>',
      ['afm_unclosed', 'afm_missing_blank_line'],
      'followed by nothing',
    ],
    [
      'a bad close that a later good one closes',
      around('\n', '\nx\n', '\n').replace('<answer>a</answer>', good.slice(1)),
      ['afm_missing_blank_line', 'afm_spans_model_text'],
    ],
    [
      'the closing marker quoted at a line start',
      around('\n', '\nobservation>\n\nrest\n', '\n\n'),
      ['afm_quoted_end_marker'],
    ],
    ['the marker after a space, which is harmless', around('\n', '\nan observation>\n\nrest\n', '\n\n'), []],
    [
      'a quoted pair',
      around('\n', '\n<observation>\ny\n</observation>\n\nrest\n', '\n\n'),
      ['afm_quoted_end_marker'],
    ],
    [
      'a quoted end tag',
      around('\n', '\n</observation>\n\nrest\n', '\n\n'),
      ['afm_count_mismatch'],
      '1 <observation> and 2 </observation>',
    ],
    ['an end before its start', `</observation>\n\n${good}<observation>`, ['afm_wrong_nesting']],
    [
      'both tags in the wrong case',
      around('\n', '\nx\n', '\n\n').replaceAll('observation', 'Observation'),
      ['afm_wrong_case', 'afm_wrong_case'],
      '<Observation> is not <observation>',
    ],
    [
      'one tag in the wrong case',
      around('\n', '\nx\n', '\n\n').replace('</observation', '</Observation'),
      ['afm_count_mismatch', 'afm_wrong_case'],
    ],
    ['a wrong case inside an observation, which is harmless', around('\n', '\n<Observation>\n', '\n\n'), []],
    [
      'start tokens in other text',
      `<think>see <a>\n<observation x</think>${good}`,
      ['afm_stray_start_marker', 'afm_spans_model_text'],
    ],
  ];

  test.each(cases)('%s', async (_what, text, rules, words = '') => {
    const findings = auditMask(text, await markMask(text));
    expect(findings.map((finding) => finding.rule).sort()).toEqual([...rules].sort());
    expect(findings.map((finding) => finding.message).join('\n')).toContain(words);
  });
});

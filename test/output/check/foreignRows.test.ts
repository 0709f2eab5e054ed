import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CheckSettings } from '../../../output/check/rowFindings.ts';
import type { RuleName } from '../../../output/check/rules.ts';
import { openTokenText, type TokenText } from '../../../output/check/tokenText.ts';
import { ignoredLabel } from '../../../schemas/rows/tokens.ts';
import { cases } from '../../support/cases.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { writeModelTokenizer } from '../support/modelTokenizers.ts';
import { qwenText } from '../support/qwenText.ts';
import { checkMasks } from './support/checkRows.ts';
import { sampleTrajectories } from './support/sampleDataset.ts';

/** Rows of each planted kind. */
const rowCount = cases(8, 'COA_AUDIT_ROWS');

/** A stretch of a row and whether it is in the loss. */
type Part = readonly [text: string, trained: boolean];

const chatMl = (user: string, ...answer: readonly Part[]): Part[] => [
  [
    `<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n${user}<|im_end|>\n<|im_start|>assistant\n`,
    false,
  ],
  ...answer,
  ['<|im_end|>\n', true],
];

async function tokenised(parts: readonly Part[], tokenText: TokenText = qwenText) {
  const { ids, counts } = await tokenText.encodeApart(parts.map(([text]) => text));
  const trained = parts.flatMap(([, isTrained], at) => Array.from({ length: counts[at]! }, () => isTrained));
  return { input_ids: ids, labels: ids.map((id, at) => (trained[at] ? id : ignoredLabel)) };
}

const rows = sampleTrajectories(rowCount).map(({ user, segments }) => ({
  user,
  parts: segments.map(({ text, origin }): Part => [text, origin === 'model']),
}));

/** Rows in the layouts of other people, with the answer changed; `trained`: whether masks take tool outputs in. */
const layouts = {
  alpaca: (user: string, parts: readonly Part[]) => ({
    instruction: user,
    input: '',
    output: parts.map(([text]) => text).join(''),
  }),
  messages: (user: string, parts: readonly Part[]) => ({
    messages: [
      { role: 'user', content: user },
      { role: 'assistant', content: parts.map(([text]) => text).join('') },
    ],
  }),
  tokenised: (user: string, parts: readonly Part[]) =>
    tokenised(chatMl(user, [parts.map(([text]) => text).join(''), true])),
  'tokenised and rightly masked': (user: string, parts: readonly Part[]) => tokenised(chatMl(user, ...parts)),
} as const;

async function findingsOf(given: readonly unknown[], changed: Partial<CheckSettings> = {}) {
  const file = path.join(temporaryFolder(), 'rows.jsonl');
  writeFileSync(file, given.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return (await checkMasks(file, changed)).findings;
}

/** The rows in which a rule is broken. */
const rowsWith = (rule: RuleName, findings: Awaited<ReturnType<typeof findingsOf>>): number =>
  new Set(findings.filter((finding) => finding.rule === rule).map((finding) => finding.row)).size;

const inLayout = (layout: keyof typeof layouts, change: (text: string) => string): Promise<unknown[]> =>
  Promise.all(
    rows.map(({ user, parts }) =>
      layouts[layout](
        user,
        parts.map(([text, trained]): Part => [change(text), trained]),
      ),
    ),
  );

/** Gives observations another tag, or none. */
const renamed = (start: string, end: string) => (text: string) =>
  text.replace(/^<observation>/, start).replace(/<\/observation>(?=\n*$)/, end);

const tags = [
  'Observation',
  'OBSERVATION',
  'observation ',
  'obs',
  'tool_response',
  'tool-result',
  'information',
  'result',
  'interpreter',
  'output',
  'search_results',
  'documents',
  'weather_station',
];
const trainingLayouts = ['alpaca', 'messages', 'tokenised'] as const;

describe('tool outputs under tags of no known profile', () => {
  test.for(tags)('<%s> in the loss is found in every row', async (tag) => {
    for (const layout of trainingLayouts) {
      const findings = await findingsOf(await inLayout(layout, renamed(`<${tag}>`, `</${tag}>`)));
      // The fork sees this start, and no end.
      const rule = layout === 'alpaca' && tag === 'observation ' ? 'afm_fork' : 'unclear_tag';
      expect([layout, rowsWith(rule, findings)]).toEqual([layout, rowCount]);
      const others = findings.filter((finding) => finding.rule !== 'afm_fork');
      expect(others).toHaveLength(rule === 'afm_fork' ? 0 : rowCount);
      if (rule === 'afm_fork') continue;
      expect(others[0]!.message).toContain(`<${tag}>`);
      expect(others[0]!.message).toContain('--observation-tag');
    }
  });

  test.for(['Observation', 'information', 'weather_station'])(
    '<%s> outside the loss is no fault',
    async (tag) => {
      const given = await inLayout('tokenised and rightly masked', renamed(`<${tag}>`, `</${tag}>`));
      expect(await findingsOf(given)).toEqual([]);
    },
  );

  test.for(['Observation', 'information'])('--observation-tag %s says whose they are', async (tag) => {
    const observationTag = tag;
    for (const layout of trainingLayouts) {
      const findings = await findingsOf(await inLayout(layout, renamed(`<${tag}>`, `</${tag}>`)), {
        observationTag,
      });
      // The fork is asked to mask the very tag, and does.
      const isMasked = layout === 'alpaca';
      expect([layout, rowsWith('observation_trained', findings)]).toEqual([layout, isMasked ? 0 : rowCount]);
      expect(findings).toHaveLength(isMasked ? 0 : rowCount);
    }
    const masked = await inLayout('tokenised and rightly masked', renamed(`<${tag}>`, `</${tag}>`));
    expect(await findingsOf(masked, { observationTag })).toEqual([]);
  });
});

describe('rows of agents in which no observation is found', () => {
  test.for([
    ['a line of ReAct', renamed('Observation:', '')],
    ['bare words', renamed('', '')],
    ['nothing at all', (text: string) => (text.startsWith('<observation>') ? '' : text)],
    ['a tag that is never closed', renamed('<Observation>', '')],
    ['brackets', renamed('[observation]', '[/observation]')],
  ] as const)('%s after a call', async ([, change]) => {
    for (const layout of trainingLayouts) {
      const findings = await findingsOf(await inLayout(layout, change));
      expect([layout, rowsWith('no_observation', findings)]).toEqual([layout, rowCount]);
      // The fork misses an `<Observation>` of another case, too.
      expect(findings.filter(({ rule }) => rule !== 'afm_fork')).toHaveLength(rowCount);
    }
  });

  test.for([
    'Thought: search.\nAction: search\nAction Input: river\nObservation: It is long.\nFinal Answer: 5',
    'Thought 1: search.\nAction 1: Search[river]\nObservation 1: It is long.\nAction 2: Finish[5]',
  ])('ReAct without any tag: %j', async (output) => {
    const findings = await findingsOf(rows.map(({ user }) => layouts.messages(user, [[output, true]])));
    expect(rowsWith('no_observation', findings)).toBe(rowCount);
  });

  test('calls whose results stand in turns of their own are right', async () => {
    const given = rows.map(({ user, parts }) => ({
      messages: [
        { role: 'user', content: user },
        {
          role: 'assistant',
          content: parts
            .slice(0, 4)
            .map(([text]) => text)
            .join('')
            .trimEnd(),
        },
        { role: 'tool', content: parts[4]![0] },
        { role: 'assistant', content: '<think>So.</think>\n<answer>1</answer>' },
      ],
    }));
    expect(await findingsOf(given)).toEqual([]);
  });
});

describe('how a row begins', () => {
  const ofText = (change: (text: string) => string) => async () =>
    Promise.all(
      rows.map(({ user, parts }) =>
        tokenised(
          chatMl(user, ...parts).map(
            ([text, trained], at): Part => [at === 0 ? change(text) : text, trained],
          ),
        ),
      ),
    );

  test.for([
    ['a doubled <|im_start|>', ofText((text) => `<|im_start|>${text}`)],
    ['a BOS that Qwen does not have', ofText((text) => `<|endoftext|>${text}`)],
    ['words before the first turn', ofText((text) => `Hello\n${text}`)],
    [
      'a doubled <|im_start|> before the answer',
      ofText((text) => text.replace('<|im_start|>assistant', '<|im_start|><|im_start|>assistant')),
    ],
    ['a turn that is not opened', ofText((text) => text.replace('<|im_start|>system\n', 'system\n'))],
  ] as const)('%s', async ([, given]) => {
    const findings = await findingsOf(await given());
    expect(rowsWith('wrong_start', findings)).toBe(rowCount);
    expect(findings).toHaveLength(rowCount);
  });

  test.for([
    ['llama3', '<|begin_of_text|>'],
    ['mistral', '<s>'],
  ] as const)('%s: BOS once', async ([preset, bos]) => {
    const tokenText = await openTokenText(await writeModelTokenizer(temporaryFolder(), preset));
    const prompt = {
      llama3:
        '<|start_header_id|>user<|end_header_id|>\n\nQ<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
      mistral: '[INST]Q[/INST]',
    }[preset];
    const end = preset === 'llama3' ? '<|eot_id|>' : '</s>';
    const given = (start: string) =>
      Promise.all(
        rows.map(({ parts }) => tokenised([[`${start}${prompt}`, false], ...parts, [end, true]], tokenText)),
      );
    expect(await findingsOf(await given(bos), { tokenText })).toEqual([]);
    for (const start of ['', bos + bos]) {
      const findings = await findingsOf(await given(start), { tokenText });
      expect(rowsWith('wrong_start', findings)).toBe(rowCount);
      expect(findings).toHaveLength(rowCount);
    }
  });
});

test.for(['alpaca', 'messages', 'tokenised'] as const)('an answer without words in %s', async (layout) => {
  for (const words of ['', ' \n']) {
    const findings = await findingsOf(
      await Promise.all(rows.map(({ user }) => layouts[layout](user, [[words, true]]))),
    );
    expect(rowsWith('empty_answer', findings)).toBe(rowCount);
    // The other words join the line feed before them, a boundary token of its own.
    if (words === '') expect(findings).toHaveLength(rowCount);
  }
});

/** A turn of LLaMA-Factory's demos. */
interface DemoTurn {
  readonly from: 'human' | 'gpt' | 'function_call' | 'observation';
  readonly value: string;
}

const fixture = <T>(name: string): T =>
  JSON.parse(
    readFileSync(new URL(`../../fixtures/llama-factory/${name}.json`, import.meta.url), 'utf8'),
  ) as T;

describe("rows of LLaMA-Factory's demos, which have no fault", () => {
  const glaive = fixture<{ conversations: DemoTurn[]; tools: string }[]>('glaive_toolcall');

  /** As LLaMA-Factory's template `qwen` writes them: the markup of calls is made of added tokens. */
  function asQwen({ conversations, tools }: (typeof glaive)[number], after = ''): Part[] {
    const system = `Help.\n\n# Tools\n\n<tools>\n${tools}\n</tools>\n\nReturn <tool_call>\n{"name": <function-name>}\n</tool_call>`;
    return [
      [`<|im_start|>system\n${system}<|im_end|>\n`, false],
      ...conversations.flatMap(({ from, value }): Part[] => {
        const isModel = from === 'gpt' || from === 'function_call';
        const words = {
          human: value,
          gpt: value,
          function_call: `<tool_call>\n${value}\n</tool_call>`,
          observation: `<tool_response>\n${value}\n</tool_response>`,
        }[from];
        return [
          [`<|im_start|>${isModel ? 'assistant' : 'user'}\n`, false],
          [`${words}${isModel ? `<|im_end|>${after}` : '<|im_end|>\n'}`, isModel],
          ...(isModel && after === '' ? ([['\n', false]] as const) : []),
        ];
      }),
    ];
  }

  test('glaive as text, and as tokens', async () => {
    expect(await findingsOf(glaive)).toEqual([]);
    expect(await findingsOf(await Promise.all(glaive.map((row) => tokenised(asQwen(row)))))).toEqual([]);
    expect(await findingsOf(await Promise.all(glaive.map((row) => tokenised(asQwen(row, '\n')))))).toEqual(
      [],
    );
  });

  test('glaive whose tool results are in the loss is found, whatever markup it has', async () => {
    const calling = glaive.filter(({ conversations }) =>
      conversations.some(({ from }) => from === 'observation'),
    );
    const given = await Promise.all(
      calling.map((row) =>
        tokenised(
          asQwen(row).map(([text, trained]): Part => [text, trained || text.includes('<tool_response>')]),
        ),
      ),
    );
    expect(rowsWith('prompt_trained', await findingsOf(given))).toBe(calling.length);
  });

  test('messages whose turns are calls, without words', async () => {
    const call = { type: 'function', function: { name: 'f', arguments: '{}' } };
    const given = [null, ''].map((content) => ({
      messages: [
        { role: 'user', content: 'Q' },
        { role: 'assistant', content, tool_calls: [call] },
        { role: 'tool', content: '1' },
        { role: 'assistant', content: 'One.' },
      ],
    }));
    expect(await findingsOf(given)).toEqual([]);
  });

  test('identity', async () => {
    expect(await findingsOf(fixture<unknown[]>('identity'))).toEqual([]);
  });

  test.for([
    'Use `<td>`:\n<table>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</table>\n<output>x</output>',
    '<think>Write a page.</think>\n```html\n<html>\n<result>1</result>\n</html>\n```\nThat is it.',
    '<think>Say it.</think>\nUse <code>print</code> for <b>all</b>, and <result>it</result> shows. <i>Good</i>.',
    '<think>Write XML.</think>\n<note>\n<to>You</to>\n</note>',
    '<think>Call.</think>\n<tool_call>\n{"name": "f"}\n</tool_call>',
    '#include <stdio.h>\nAction: none',
  ])('words with brackets that are no agents’ tags: %j', async (content) => {
    expect(
      await findingsOf([layouts.messages('Q', [[content, true]]), layouts.alpaca('Q', [[content, true]])]),
    ).toEqual([]);
  });
});

test('a row of which both sides have findings is one row with findings', async () => {
  const [good, bad] = ['<answer>she</answer>', '<observation>\nx\n</observation>\n\n<answer>she</answer>'];
  const pairs = [
    { prompt: 'Who?\n', chosen: bad, rejected: bad },
    { prompt: 'Who?\n', chosen: good, rejected: bad },
    { prompt: 'Who?\n', chosen: good, rejected: good },
  ];
  const file = path.join(temporaryFolder(), 'pairs.jsonl');
  writeFileSync(file, pairs.map((pair) => `${JSON.stringify(pair)}\n`).join(''));
  const { findings, totals } = await checkMasks(file);
  expect(findings.map(({ row, side }) => `${row} ${side}`)).toEqual(['1 chosen', '1 rejected', '2 rejected']);
  expect(totals.parts).toMatchObject([{ rows: 3, checked: 3, rows_with_findings: 2 }]);
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../base/json.ts';
import { openRowFile } from '../../base/rows/openRowFile.ts';
import { writtenRow } from '../../output/dataset/formats/formatParts.ts';
import { renderRow } from '../../output/dataset/renderRow.ts';
import { addedTokensOf } from '../../output/rows/addedTokens.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { qwenSystemPrompt } from '../../schemas/config/dataset.ts';
import { alpacaRow } from '../../schemas/rows/alpaca.ts';
import type { AfmRow } from '../../schemas/trainers/afmMask.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { convertTrace } from '../../stages/convert/createConvertStage.ts';
import { measureQuality } from '../../stages/convert/measureQuality.ts';
import { importDatasetRow, readOneAnswer } from '../../teachers/importers/importDatasetRow.ts';
import { qwen, qwenSettings } from '../output/support/qwen.ts';
import { writeDataset, writerOptions } from '../output/support/writeDataset.ts';
import { cases } from '../support/cases.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { testDataPath } from '../support/testData.ts';
import { outputOf, refusalOf } from './importing.ts';
import { traceArbitrary } from './traceOfTrajectory.ts';

const profiles = Object.values(builtinProfiles);

function importRow(row: JsonValue, candidates = profiles) {
  return importDatasetRow(readOneAnswer(row), {
    profiles: candidates,
    systemPrompt: qwenSystemPrompt,
    measureQuality,
  });
}

/** What an alpaca row holds of a trajectory. */
function held({ profile, domain, system, user, question, segments, quality }: Trajectory) {
  const texts = segments.map(({ tag, origin, text }) => ({ tag, origin, text }));
  return { profile, domain, system, user, question, segments: texts, quality };
}

const output = `<think>Find it.</think>
<plan>Search.</plan>
<think>Now.</think>
<wiki_search>Teln</wiki_search>
<observation>
In Norland.
</observation>

<think>Done.</think>
<answer>Norland</answer>`;

describe('the afm/ folder of a dataset of ours', () => {
  test('gives the same trajectories, and exporting them gives the same bytes', async () => {
    const folder = temporaryFolder();
    const trajectories = fc
      .sample(traceArbitrary, { numRuns: 60, seed: 11 })
      .map((trace) => convertTrace(trace, builtinProfiles[trace.profile]!, qwenSystemPrompt))
      // Words of no character but white space make an empty block, which no grammar allows.
      .filter(({ segments }) => segments.every(({ text }) => !/^<\w+>\s*<\//.test(text)));
    expect(trajectories.length).toBeGreaterThan(40);
    await writeDataset(trajectories, writerOptions(join(folder, 'first')));

    const imported: Trajectory[] = [];
    for await (const row of (await openRowFile(join(folder, 'first/afm/sample.json'))).rows()) {
      if ('problem' in row) throw new Error(row.problem);
      const { trajectory, remarks } = importRow(row.value);
      expect(remarks).toEqual([]);
      imported.push(trajectory);
    }
    expect(imported.map(held)).toEqual(trajectories.map(held));

    await writeDataset(imported, writerOptions(join(folder, 'second')));
    const same = [
      'afm/sample.json',
      'llama_factory/train.jsonl',
      'tokenized/data-00000-of-00001.arrow',
      'verl/sft.parquet',
    ];
    for (const file of same) {
      const [first, second] = await Promise.all(
        ['first', 'second'].map((name) => readFile(join(folder, name, file))),
      );
      expect(second!.equals(first!), file).toBe(true);
    }
  });
});

describe('special tokens in a row, escaped or not', () => {
  /** What a model and a page may write: control tokens, and look-alikes with any number of backslashes anywhere. */
  const words = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '<|im_end|>',
          '<|im_start|>',
          '<tool_call>',
          '</tool_call>',
          '<tool\\_call\\>',
          '[INST]',
        ),
        fc
          .tuple(fc.constantFrom('<|im_end|>', '<tool_call>', '</tool_call>'), fc.nat(8))
          .map(([token, slashes]) => `<${'\\'.repeat(slashes)}${token.slice(1)}`),
        fc.constantFrom(' a ', 'b', '|', '\\', 'é'),
      ),
      { minLength: 1, maxLength: 6 },
    )
    .map((parts) => `w${parts.join('')}`);
  const rows = fc.tuple(words, words, words, fc.boolean()).map(([asked, thought, page, isOwn]) => ({
    ...(isOwn
      ? { instruction: builtinProfiles.mhqa!.instruction, input: `Question: ${asked}` }
      : { instruction: `Another prompt, ${thought}.`, input: `Question: ${asked}` }),
    output: output.replace('Find it.', () => thought).replace('In Norland.', () => page),
  }));
  const { escaper } = addedTokensOf(qwen);
  const unescapeTokens = (text: string) => escaper.unescape(text);

  function trajectoryOf(row: JsonValue): Trajectory {
    const systemPrompt = qwenSystemPrompt;
    return importDatasetRow(readOneAnswer(row), { profiles, systemPrompt, unescapeTokens, measureQuality })
      .trajectory;
  }

  async function exported(trajectory: Trajectory): Promise<AfmRow> {
    return writtenRow(
      alpacaRow(await renderRow(trajectory, builtinProfiles[trajectory.profile]!, qwenSettings)),
    );
  }

  test('are what they were before our export escaped them', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (row) => {
        const trajectory = trajectoryOf(row);
        expect(held(trajectoryOf({ ...(await exported(trajectory)) }))).toEqual(held(trajectory));
      }),
      { numRuns: cases(60) },
    );
  });
});

/** A trajectory of AFM's double check rule set that calls one tool. */
function doubleChecked(call: string): string {
  return `<think>a</think>
<plan>Search.</plan>
<think>b</think>
${call}
<observation>
In Norland.
</observation>

<think>c</think>
<suggested_answer>Norland</suggested_answer>
<think>d</think>
<double_check>The score this time is:4</double_check>
<answer>Norland</answer>`;
}

const row = { instruction: 'Another prompt.', input: 'Question: Where does the Teln end?', output };

test('a row of conversations is imported as an alpaca row is', async () => {
  const rows = JSON.parse(await readFile(testDataPath('field/d02_afm_sharegpt.json'), 'utf8')) as JsonValue[];
  const { trajectory } = importRow(rows[0]!);
  expect(trajectory).toMatchObject({
    system: 'You are an agent.',
    question: 'Which river flows past Vinterby?',
  });
  expect(trajectory.segments.map(({ tag, origin }) => `${tag} ${origin}`)).toEqual([
    'think model',
    'plan model',
    'wiki_search model',
    'observation environment',
    'think model',
    'answer model',
  ]);
});

describe('a published row', () => {
  test('is read under the profile whose grammar it keeps; its prompt stays', () => {
    const { trajectory, remarks } = importRow(row);
    expect(trajectory).toMatchObject({
      profile: 'mhqa',
      question: 'Where does the Teln end?',
      user: 'Another prompt.\nQuestion: Where does the Teln end?',
      answers: [],
      quality: { interactions: 1, verdicts: [] },
    });
    expect(outputOf(trajectory)).toBe(output);
    expect(remarks).toEqual([]);
  });

  test('with chat markup in an observation is made harmless', () => {
    const spoilt = output.replace('In Norland.', 'In <|im_end|> Norland.');
    const { trajectory, remarks } = importRow({ ...row, output: spoilt });
    expect(outputOf(trajectory)).toBe(output.replace('In Norland.', 'In <\\|im_end|> Norland.'));
    expect(trajectory.quality.neutralised).toBe(1);
    expect(remarks).toEqual(['text_repaired']);
  });

  test('that breaks the grammar is converted under a stated profile, and said', () => {
    const { remarks } = importRow({ ...row, output: output.replace('<think>Done.</think>\n', '') }, [
      builtinProfiles.mhqa!,
    ]);
    expect(remarks).toEqual(['breaks_grammar']);
  });

  test.each([
    ['a tag that is never closed', { output: output.replace('</answer>', '') }, 'missing_end_tag', 'output'],
    ['tags that nest', { output: output.replace('Search.', '<think>x</think>') }, 'nested_tag', 'output'],
    ['text between tags', { output: output.replace('<plan>', 'so: <plan>') }, 'text_between_tags', 'output'],
    ['no tags', { output: 'Norland' }, 'no_blocks', 'output'],
    ['no output', { output: undefined }, 'no_answer', ''],
    ['no question', { instruction: '', input: '' }, 'no_question', 'input'],
  ])('with %s is refused', (_, change, code, path) => {
    const spoilt = JSON.parse(JSON.stringify({ ...row, ...change })) as JsonValue;
    expect(refusalOf(() => importRow(spoilt, [builtinProfiles.mhqa!]))).toMatchObject({ code, path });
  });

  test.each([
    ['web', '<web_search>Teln</web_search>'],
    ['afm', '<code>\n```py\nprint(1)\n```\n</code>'],
    ['mhqa_double_check', '<wiki_search>Teln</wiki_search>'],
  ])('is of %s where its tags are: the profile with the fewest others', (name, call) => {
    const { trajectory } = importRow({ ...row, output: doubleChecked(call) });
    expect(trajectory.profile).toBe(name);
    expect(outputOf(trajectory)).toBe(doubleChecked(call));
  });

  test.each([
    ['code', '\n```py\nprint(4)\n```\n'],
    ['math', '\\boxed{4}'],
  ])('without a tool is of %s by its answer', (name, answer) => {
    const text = `<plan>p</plan>\n<think>t</think>\n<answer>${answer}</answer>`;
    expect(importRow({ ...row, output: text }).trajectory.profile).toBe(name);
  });

  test('with a tag of no profile is refused, and the tag named', () => {
    const importing = () => importRow({ ...row, output: output.replaceAll('plan>', 'poem>') });
    expect(refusalOf(importing)).toMatchObject({ code: 'unknown_tag', path: 'output' });
    expect(importing).toThrow('<poem> is not a tag of the profile mhqa');
  });
});

import { describe, expect, test } from 'vitest';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { type ConvertConfig, defaultConvertConfig } from '../../schemas/config/convert.ts';
import { createConvertStage } from '../../stages/convert/createConvertStage.ts';
import { connectives } from '../../stages/convert/thoughts.ts';
import { asks, ended, planned, refusal, search, thinks, told } from '../support/convertedTree.ts';
import { runRecordStage } from '../support/runStage.ts';

const keep = { ...defaultConvertConfig, failed_calls: 'keep' } as const;

describe('a failed call', () => {
  test('is left out with the thinking that led to it alone', () => {
    const tree = planned();
    thinks(tree, 'try');
    tree.tool(search('a', 'refused'));
    thinks(tree, 'try again');
    tree.tool(search('a'));
    expect(told(tree)).toEqual(['think: try again', 'wiki_search: a', 'observation: of a']);
  });

  test('leaves its thinking to the call that repeats it', () => {
    const tree = planned();
    thinks(tree, 'try');
    asks(tree);
    tree.tool(search('a', 'refused'));
    asks(tree);
    tree.tool(search('b'));
    expect(told(tree)).toEqual(['think: try', 'wiki_search: b', 'observation: of b']);
  });

  test('leaves nothing to a later call of another tool', () => {
    const tree = planned('web');
    thinks(tree, 'try');
    asks(tree);
    tree.tool({ ...search('a', 'refused'), tool: 'web_search' });
    asks(tree);
    const other = tree.tool({ tool: 'crawl_page', input: { urls: ['https://a.example'] }, observation: 'x' });
    expect(refusal(tree)).toEqual({
      event: other,
      why: 'no thinking for <crawl_page>, which needs it before it',
    });
  });

  test('is kept with its message, made harmless, as the observation', () => {
    const tree = planned();
    thinks(tree, 'try');
    asks(tree);
    tree.tool(search('a', 'refused </observation>'));
    const again = asks(tree);
    tree.tool(search('a'));
    expect(ended(tree, keep).segments.slice(2, -2)).toMatchObject([
      { text: '<think>try</think>\n' },
      { text: '<wiki_search>a</wiki_search>\n' },
      { text: '<observation>\nrefused <\\/observation\\>\n</observation>\n\n', origin: 'environment' },
      { text: `<think>${connectives.retry}</think>\n`, event: again },
      { text: '<wiki_search>a</wiki_search>\n' },
      { text: '<observation>\nof a\n</observation>\n\n' },
    ]);
    expect(ended(tree, keep).quality).toMatchObject({ interactions: 2, redundant_tool_inputs: 0 });
  });

  test('is kept with what the agent was shown, where that is known', () => {
    const tree = planned();
    thinks(tree, 'try');
    tree.tool({ ...search('a', 'refused'), observation: 'shown' });
    expect(told(tree, keep)).toEqual(['think: try', 'wiki_search: a', 'observation: shown']);
    expect(told(tree)).toEqual([]);
  });

  test('without a message can not be kept', () => {
    const tree = planned();
    thinks(tree, 'try');
    const failed = tree.tool(search('a', ' '));
    expect(refusal(tree, keep)).toEqual({ event: failed, why: 'wiki_search gave no observation' });
  });

  test('can not be left out where what follows needs it', () => {
    const tree = planned('math');
    thinks(tree, 'try');
    const failed = tree.tool({ tool: 'code', input: { code: '1' }, observation: null, failure: 'killed' });
    const reflector = tree.agent({ role: 'reflector', action: 'reflection', answer: { reflection: 'hm' } });
    expect(refusal(tree)).toEqual({
      event: reflector,
      why: `<reflection> comes after the failed call ${failed}, which convert.failed_calls leaves out, and can't follow <plan>`,
    });
    expect(told(tree, keep)).toContain('reflection: hm');
  });

  test('of a tool that the profile does not have is left out too', () => {
    const tree = planned();
    thinks(tree, 'try');
    const unknown = tree.tool({ ...search('a', 'no such tool'), tool: 'wiki' });
    expect(told(tree)).toEqual([]);
    expect(refusal(tree, keep)).toEqual({ event: unknown, why: 'the profile mhqa has no action wiki' });
  });
});

test('the stage converts under its settings', async () => {
  const tree = planned();
  thinks(tree, 'try');
  tree.tool(search('a', 'refused'));
  ended(tree);
  const { id: _, ...content } = tree.trace();
  const trace = { id: 'trace_x', ...content };
  const interactions = async (config?: ConvertConfig) => {
    const stage = createConvertStage({
      profileOf: builtinProfile,
      systemPrompt: 's',
      ...(config && { config }),
    });
    const outcome = await runRecordStage(stage, trace);
    return outcome.kind === 'emit' ? outcome.records[0]!.quality.interactions : undefined;
  };
  expect(await interactions()).toBe(0);
  expect(await interactions(keep)).toBe(1);
});

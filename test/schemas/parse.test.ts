import { describe, expect, test } from 'vitest';
import { parseBlocks } from '../../schemas/coa/parse.ts';
import { mhqaProfile } from '../../schemas/coa/profiles/builtin.ts';

const codes = (text: string) => parseBlocks(mhqaProfile, text).issues.map((issue) => issue.code);

describe('what is wrong with a text is named', () => {
  test.each([
    ['<think>a', ['missing_end_tag', 'no_blocks']],
    ['</think>', ['unexpected_end_tag', 'no_blocks']],
    ['<think>a<plan>b</plan></think>', ['nested_tag', 'unexpected_end_tag']],
    ['<think>a</plan></think>', ['unexpected_end_tag']],
    ['<think>a</think>and<plan>b</plan>', ['text_between_tags']],
    ['<think>a</think><plan>b</plan>', ['wrong_layout']],
    ['<think>a</think>\n\n<plan>b</plan>', ['wrong_layout']],
    ['<think>a</think>\r\n<plan>b</plan>', ['wrong_layout']],
    ['<observation>\na\n</observation>\n<think>b</think>', ['wrong_layout']],
    ['<think>a</think>\n', ['wrong_layout']],
    [' <think>a</think>', ['wrong_layout']],
    ['', ['no_blocks']],
    ['words', ['text_between_tags', 'no_blocks']],
    ['<Think>a</Think>', ['wrong_case_tag', 'no_blocks']],
    ['<think>a</think>\n<search>b</search>', ['unknown_tag']],
    ['< think >a</think>', ['unexpected_end_tag', 'wrong_case_tag', 'no_blocks']],
  ])('%j', (text, expected) => {
    expect(codes(text)).toEqual(expected);
  });
});

test('blocks have their place in the text', () => {
  const text = '<think>a</think>\n<plan>b</plan>';
  const { blocks } = parseBlocks(mhqaProfile, text);
  expect(blocks.map((block) => text.slice(block.start, block.end))).toEqual([
    '<think>a</think>',
    '<plan>b</plan>',
  ]);
});

test('tags of other profiles are text here', () => {
  expect(parseBlocks(mhqaProfile, '<think><web_search>x</web_search></think>').blocks).toMatchObject([
    { tag: 'think', body: '<web_search>x</web_search>' },
  ]);
});

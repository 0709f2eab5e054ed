import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeStructure, unescapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { structuralTags } from '../../schemas/coa/profiles/builtin.ts';
import { cases } from '../support/cases.ts';

/** Pieces from which look-alikes, and look-alikes of the escapes, come together by chance. */
const pieces = [
  '<',
  '</',
  '\\',
  '\\\\',
  '/',
  '>',
  ' ',
  '\n',
  '|',
  '<|',
  '|>',
  '｜',
  '[',
  ']',
  '[/',
  'INST',
  's',
  'tools',
  'observation',
  'OBSERVATION',
  'answer',
  'think',
  'im_end',
  'tool_call',
  'x',
  '=',
  '\u0338',
];
const lookAlikeText = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

/** What a tokenizer, our parser or AFM's mask would take for structure. */
const structure = new RegExp(
  `<\\/?(?:${structuralTags.join('|')})[\\s/>]|<\\/?observation|observation\\s*>|<\\|[^|<>\\s]{1,64}\\|>|\\[\\/?INST\\]|<\\/?(?:tool_call|tool_response|s)>`,
  'i',
);

test('unescapeStructure gives back every text, however full of look-alikes and of their escapes', () => {
  fc.assert(
    fc.property(lookAlikeText, (text) => {
      expect(unescapeStructure(escapeStructure(text).text)).toBe(text);
    }),
    { numRuns: cases(20_000) },
  );
});

test('a neutralised text holds no structure', () => {
  fc.assert(
    fc.property(lookAlikeText, (text) => {
      expect(escapeStructure(text).text).not.toMatch(structure);
    }),
    { numRuns: cases(20_000) },
  );
});

describe('what is seen and what is written', () => {
  test.each([
    ['<answer>', '<\\answer>', 1],
    ['</answer>', '<\\/answer>', 1],
    ['<ANSWER x=1>', '<\\ANSWER x=1>', 1],
    ['<\\answer>', '<\\\\answer>', 1],
    ['<|im_end|>', '<\\|im_end|>', 1],
    ['<tool_call>', '<\\tool_call>', 1],
    ['</s>', '<\\/s>', 1],
    ['[INST]', '[\\INST]', 1],
    ['[/INST]', '[\\/INST]', 1],
    ['observation>', 'observation\\>', 1],
    ['</observation>', '<\\/observation\\>', 2],
    ['<observations', '<\\observations', 1],
    ['</think >', '<\\/think >', 1],
  ])('%s', (seen, written, count) => {
    expect(escapeStructure(seen)).toEqual({ text: written, count });
  });
});

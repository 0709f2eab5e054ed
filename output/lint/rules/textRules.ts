import type { LintRule } from './rule.ts';

/** Rules about files, rows and characters. */
export const textRules = {
  broken_row: {
    severity: 'error',
    title: 'a row that is not a JSON object in UTF-8',
    why: 'Trainers stop at such a row or pass over it. Write the file again with a JSON library.',
    fixable: false,
  },
  unknown_row: {
    severity: 'error',
    title: 'a row of no known layout',
    why: 'Known are alpaca columns (`instruction`, `input`, `output`), `conversations` or `messages`, and trajectories with `segments`. Rename the columns.',
    fixable: false,
  },
  byte_order_mark: {
    severity: 'warning',
    title: 'a byte order mark at the start of the text',
    why: 'The model would learn to begin with an invisible character.',
    fixable: true,
  },
  carriage_return: {
    severity: 'error',
    title: 'a carriage return',
    why: 'CRLF line ends make other tokens than LF ones, and AFM’s fork finds no observation end before one.',
    fixable: true,
  },
  not_nfc: {
    severity: 'warning',
    title: 'text that is not in Unicode normal form C',
    why: 'Qwen’s tokenizer normalises to NFC, so masks that were computed on the text as it stands are off.',
    fixable: true,
  },
  nul_character: {
    severity: 'error',
    title: 'a NUL character',
    why: 'It comes from binary data that was read as text, and C programs end a text there. Take it out at the source.',
    fixable: false,
  },
  lone_surrogate: {
    severity: 'error',
    title: 'half of a surrogate pair',
    why: 'It is no Unicode character and can’t be encoded as UTF-8: some character was cut in two. Cut the text elsewhere.',
    fixable: false,
  },
  control_token: {
    severity: 'error',
    title: 'a control token of a chat template in the text',
    why: 'Trainers turn `<|im_end|>` and its like into the control token itself, which ends the turn there. Neutralise it.',
    fixable: false,
  },
} as const satisfies Record<string, LintRule>;

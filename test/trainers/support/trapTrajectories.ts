import fc from 'fast-check';
import { escapeStructure } from '../../../schemas/coa/escapeStructure.ts';
import { type Block, normaliseText, observationBody } from '../../../schemas/coa/layout.ts';
import type { Profile } from '../../../schemas/coa/profile.ts';
import { builtinProfiles } from '../../../schemas/coa/profiles/builtin.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { blocksArbitrary, trajectoryOf } from '../../support/trajectoryArbitrary.ts';

/** The text of a page as conversion leaves it. */
function pageText(source: string): string {
  return escapeStructure(normaliseText(source)).text;
}

/** A page of 100 kB and more, of what has misled tokenizers and masks. */
const hugePage = pageText(
  '日本語👩‍👩‍👧‍👦 e\u0301 </observation>\n\n<|im_end|>\r\n<|im_start|>assistant\r\nfn(x) => `a<b`;   \n'.repeat(
    1_500,
  ),
);

/** A page from a source with CRLF line ends, which conversion makes LF. */
const crlfPage = pageText('first line\r\nsecond line\r\n\r\nCRLF\r\n');

/** What trainers themselves replace or split texts at: media and templates of ms-swift, slots of LLaMA-Factory. */
const trainersPage = pageText(
  '<image><video> <cot-process> {{QUERY}} {{SYSTEM}} {{RESPONSE}} {{ROUND0}} {{content}} </s><s>[INST]',
);

/** Raw added tokens of Qwen2.5, and look-alikes of them, as only imported trajectories can have them. */
const controlPage =
  '<|im_end|>\n<|im_start|>assistant\n<|endoftext|><tool_call>{"name": "x"}</tool_call><|fim_prefix|> <|\\im_end|>';

/** In which of twenty trajectories observations are replaced, by what. */
const replacedBodies = [
  { places: [0, 1], body: observationBody('') },
  { places: [2], body: observationBody(hugePage) },
  { places: [3], body: observationBody(crlfPage) },
  { places: [4, 6, 8], body: observationBody(trainersPage) },
  { places: [5, 7, 9], body: observationBody(controlPage) },
];

/** What stands at the end of questions, in turn. */
const questionTraps = [
  '',
  ' 日本語 👩‍👩‍👧‍👦 e\u0301',
  ' <|im_end|>\r\n<|im_start|>assistant',
  ' <image> {{QUERY}} \n\n',
];

/**
 * Trajectories full of traps; in some all observations are empty, longer than 100 kB, or full of control tokens.
 * Always the same ones.
 */
export function trapTrajectories(count: number): Trajectory[] {
  const profiles = Object.values(builtinProfiles);
  return profiles.flatMap((profile, at) => {
    const share = Math.floor(count / profiles.length) + (at < count % profiles.length ? 1 : 0);
    return sampleOf(profile, share).map(({ blocks, question }, row) =>
      trajectoryOf(
        profile,
        withReplacedObservations(blocks, row % 20),
        question + questionTraps[row % questionTraps.length],
        'answer',
      ),
    );
  });
}

function sampleOf(profile: Profile, count: number) {
  const question = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
  const sample = fc.record({ blocks: blocksArbitrary(profile), question });
  return fc.sample(sample, { numRuns: count, seed: 20_260_820 });
}

function withReplacedObservations(blocks: readonly Block[], place: number): readonly Block[] {
  const replaced = replacedBodies.find(({ places }) => places.includes(place));
  if (!replaced) return blocks;
  return blocks.map((block) => (block.origin === 'environment' ? { ...block, body: replaced.body } : block));
}

/** Kinds of traps, and what tells that a segment holds one. */
const kinds: Readonly<Record<string, (text: string) => boolean>> = {
  CJK: (text) => /\p{Script=Han}/u.test(text) && /\p{Script=Hangul}/u.test(text),
  emoji: (text) => /\p{Emoji_Presentation}\u200d/u.test(text),
  'combining marks': (text) => /\p{L}\p{Mn}/u.test(text),
  'look-alikes of tags': (text) => /<\\+\/?(?:observation|answer)|<\/?\\+(?:observation|answer)/.test(text),
  'look-alikes of control tokens': (text) => /<\\*\|\\*im_end|<\|endoftext/.test(text),
  'raw control tokens': (text) => text.includes('<|im_end|>') && text.includes('<tool_call>'),
  'placeholders of trainers': (text) => text.includes('{{QUERY}}') && text.includes('<image>'),
  code: (text) => text.includes('```py\n'),
  'empty observations': (text) => text === '<observation>\n\n</observation>\n\n',
  'observations of 100 kB': (text) => text.startsWith('<observation>') && Buffer.byteLength(text) > 100_000,
  'sources with CRLF': (text) => text.includes('CRLF\n') && !text.includes('\r'),
};

/** How many trajectories hold a trap of each kind. */
export function countTraps(trajectories: readonly Trajectory[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, holds]) => [
      kind,
      trajectories.filter(({ segments }) => segments.some(({ text }) => holds(text))).length,
    ]),
  );
}

import { type Block, layOutBlocks, observationBody } from '../../schemas/coa/layout.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { mhqaTrajectory } from './mhqaTrajectory.ts';

const words = Array.from({ length: 4_000 }, (_, n) => syllables(n));
const pageCount = 500;
const hops = 5;
/** Words of a page and of a thought: together some 30 KB a row, a sixth of it written by the model. */
const pageWords = 510;
const thoughtWords = 130;
const pages = Array.from({ length: pageCount }, (_, n) => prose(random(n + 7), pageWords));
/** Every so many-th row says nearly what the row before it says; every so many-th has a flaw. */
const duplicateEvery = 10;
const flawEvery = 7;

/** A valid `mhqa` trajectory of some 30 KB; a tenth nearly repeat the one before, a seventh were judged wrong. */
export function syntheticTrajectory(row: number): Trajectory {
  const isRepeat = row % duplicateEvery === duplicateEvery - 1;
  const next = random(isRepeat ? row - 1 : row);
  const question = `Which ${prose(next, 14)}?`;
  const blocks = blocksOf(row, next, isRepeat);
  const trajectory = mhqaTrajectory(row.toString(16).padStart(24, '0'), {
    question,
    segments: layOutBlocks(blocks).map(({ tag, origin, text }, at) => ({
      tag,
      origin,
      text,
      event: `event_${at}`,
    })),
    interactions: hops,
  });
  const isRight = row % flawEvery !== 0;
  return {
    ...trajectory,
    source: `source ${row % 50}`,
    quality: {
      ...trajectory.quality,
      verdicts: [
        {
          subject: 'answer',
          judge: 'exact_match',
          judgement: isRight ? 'correct' : 'incorrect',
          score: isRight ? 1 : 0,
          evidence: {},
        },
      ],
    },
  };
}

function blocksOf(row: number, next: () => number, isRepeat: boolean): Block[] {
  const model = (tag: string, body: string): Block => ({ tag, origin: 'model', body });
  const searches = Array.from({ length: hops }, (_, hop): Block[] => [
    model('think', prose(next, thoughtWords)),
    model('wiki_search', prose(next, 6)),
    {
      tag: 'observation',
      origin: 'environment',
      body: observationBody(pages[(row * hops + hop) % pageCount]!),
    },
  ]);
  return [
    model('think', isRepeat ? 'The same once more.' : prose(next, thoughtWords)),
    model('plan', '1. search\n2. answer'),
    ...searches.flat(),
    model('think', 'That is clear.'),
    model('answer', 'yes'),
  ];
}

function prose(next: () => number, count: number): string {
  let text = words[next() % words.length]!;
  for (let at = 1; at < count; at++) text += ` ${words[next() % words.length]!}`;
  return text;
}

/** Whole numbers without a pattern (xorshift), the same for the same seed. */
function random(seed: number): () => number {
  let state = (Math.imul(seed + 1, 0x9e3779b1) | 1) >>> 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}

function syllables(n: number): string {
  const parts = [
    'ka',
    'lo',
    'mi',
    'ru',
    'se',
    'ta',
    'no',
    'vi',
    'dun',
    'har',
    'bel',
    'ost',
    'fen',
    'gry',
    'wil',
    'pra',
  ];
  return `${parts[n % 16]}${parts[(n >> 4) % 16]}${parts[(n >> 8) % 16]}`;
}

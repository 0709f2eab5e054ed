import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { AddedTokens } from '../../output/rows/addedTokens.ts';
import { type Piece, rowPieces } from '../../output/rows/rowPieces.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** The control tokens of the rows; what else Qwen2.5 has is in no text, see {@link harmless}. */
const chatMl = new AddedTokens({
  addedTokens: ['<|im_start|>', '<|im_end|>'],
  addedTokenFlags: new Map(),
});

/** Rows of trajectories in pieces, each of other text: half of them real source code and English, the rest invented. */
export function* mixedRows(): Generator<Piece[]> {
  const random = createRandom(20_261_121);
  const files = chunks(realTexts());
  for (let row = 0; ; row++) {
    const kind = row % 8;
    if (kind < 5) yield rowOf(row, () => files.next().value ?? '');
    else if (kind === 5) yield rowOf(row, () => words(random, latin, ' ', 2_500));
    else if (kind === 6) yield rowOf(row, () => words(random, cyrillic, ' ', 1_500));
    else yield rowOf(row, () => words(random, han, random() < 0.5 ? '，' : '。', 900));
  }
}

/** Text without added tokens' look-alikes, which conversion would have neutralised. */
function harmless(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll('<|', '< |')
    .replaceAll('tool_call>', 'tool-call>')
    .replaceAll('\u0000', '');
}

function rowOf(row: number, text: () => string): Piece[] {
  const segment = (tag: string, origin: 'model' | 'environment', body: string) => ({
    tag,
    origin,
    text: `<${tag}>${body}</${tag}>\n`,
    event: '',
  });
  const segments = [0, 1, 2].flatMap((step) => [
    segment('think', 'model', text().slice(0, 400).toWellFormed()),
    segment('web_search', 'model', `query ${row} ${step}`),
    segment('observation', 'environment', `\n${text()}\n`),
  ]);
  const turn = (role: string, text: string) => `<|im_start|>${role}\n${text}`;
  const system = turn('system', 'You are a helpful assistant that answers step by step.<|im_end|>\n');
  const prompt = `${system}${turn('user', `Question ${row}?<|im_end|>\n`)}${turn('assistant', '')}`;
  return rowPieces(
    { prompt, segments, endOfTurn: '<|im_end|>\n' },
    segments.map(({ origin }) => (origin === 'model' ? 1 : 0)),
    chatMl,
  );
}

/** The repository's own text and what npm brought along: code, documentation, data. Never the same twice. */
function* realTexts(): Generator<string> {
  const patterns = [
    '{docs,examples,schemas,stages,teachers,tools,output,pipeline}/**/*.{md,ts,html,jsonl}',
    'node_modules/**/*.{md,mjs,cjs,ts,js}',
  ];
  for (const file of globSync(patterns, { cwd: root }).sort()) {
    const full = path.join(root, file);
    const { size } = statSync(full);
    // Nobody reads minified code on one line as text.
    if (size > 5_000_000 || file.includes('.min.') || !statSync(full).isFile()) continue;
    yield harmless(readFileSync(full, 'utf8'));
  }
}

/** Pieces of 3,000 characters, in order. */
function* chunks(texts: Iterable<string>): Generator<string> {
  for (const text of texts)
    for (let at = 0; at < text.length; at += 3_000) yield text.slice(at, at + 3_000).toWellFormed();
}

const latin = (rank: number) => spell(rank, 'etaoinshrdlucmfwypvbgkjqxzéü');
const cyrillic = (rank: number) => spell(rank, 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэф');
const han = (rank: number) =>
  String.fromCharCode(0x4e00 + (rank % 5_000) * 4) + String.fromCharCode(0x4e00 + (rank % 600));

/** A word for a rank: frequent ones are short. */
function spell(rank: number, letters: string): string {
  let word = '';
  for (let rest = rank + 3; rest > 0; rest = Math.floor(rest / 9))
    word += letters[(rest * 7) % letters.length];
  return word;
}

/** Words whose frequencies fall with their rank, as those of languages do. */
function words(
  random: () => number,
  word: (rank: number) => string,
  between: string,
  length: number,
): string {
  let text = '';
  let sinceStop = 0;
  while (text.length < length) {
    text += word(Math.floor(Math.exp(random() * Math.log(200_000))));
    if (between === ' ' || ++sinceStop > 5 * random()) {
      text += between;
      sinceStop = 0;
    }
    if (random() < 0.08) text += `${Math.floor(random() * 3_000)} — 👍\n`;
  }
  return harmless(text);
}

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

import type { Tokenizer } from '../../../contract/tokenizer.ts';
import { normalForm } from '../../../schemas/normalForm.ts';
import { type AfmMaskPatterns, findMaskMarks, type MaskMark } from '../../../schemas/trainers/afmMask.ts';
import { addedTokensOf } from '../../rows/addedTokens.ts';

/**
 * Finds where the token patterns of AFM's fork match in a text: marks in UTF-16 code units of the text as it stands, in
 * order; the trainer's tokenizer reads it in NFC.
 */
export type MarkMask = (text: string) => Promise<MaskMark[]>;

const word = 'observation';

/** Lines repeat from row to row; these many are remembered, none longer than this. */
const rememberedLines = 10_000;
const longestRemembered = 100;

/**
 * A marker for a tokenizer with Qwen's pre-tokenizer. It encodes only the lines around each `observation`, which gives
 * the same marks as encoding the whole text.
 */
export async function createMaskMarker(tokenizer: Tokenizer): Promise<MarkMask> {
  const patterns: AfmMaskPatterns = {
    start: [...(await tokenizer.encode(`<${word}`))],
    end: [...(await tokenizer.encode(`${word}>\n\n`))],
  };
  const remembered = new Map<string, readonly MaskMark[]>();
  const marksInLine = async (line: string): Promise<readonly MaskMark[]> => {
    const known = remembered.get(line);
    if (known) return known;
    const marks: MaskMark[] = [];
    let from = 0;
    // Trainers turn added tokens into ids before anything else.
    for (const { token, start } of [
      ...addedTokensOf(tokenizer).find(line),
      { token: '', start: line.length },
    ]) {
      marks.push(...shifted(await marksInTokens(line.slice(from, start), tokenizer, patterns), from));
      from = start + token.length;
    }
    if (remembered.size >= rememberedLines) remembered.clear();
    if (line.length <= longestRemembered) remembered.set(line, marks);
    return marks;
  };
  return async (text) => {
    const marks: MaskMark[] = [];
    for (const { from, line } of linesAround(text.toWellFormed()))
      marks.push(...shifted(await marksInLine(line), from));
    return marks;
  };
}

function shifted(marks: readonly MaskMark[], by: number): MaskMark[] {
  return marks.map(({ kind, from, to }) => ({ kind, from: from + by, to: to + by }));
}

/** No token, and no normal form, reaches across a line feed that a visible ASCII character follows. */
const border = /\n(?=[!-~])/g;

/** The lines that hold the word, from border to border. */
function* linesAround(text: string) {
  for (let at = text.indexOf(word), end = 0; at >= 0; at = text.indexOf(word, end)) {
    let from = at;
    while (from > end && !(text[from - 1] === '\n' && /[!-~]/.test(text[from]!))) from--;
    border.lastIndex = at;
    const found = border.exec(text);
    end = found ? found.index + 1 : text.length;
    yield { from, line: text.slice(from, end) };
  }
}

/** The marks in the tokens of a text's NFC, as places of the text. */
async function marksInTokens(text: string, tokenizer: Tokenizer, patterns: AfmMaskPatterns) {
  const normal = normalForm(text, 'NFC');
  const ids = await tokenizer.encode(normal);
  const marks = findMaskMarks(ids, patterns);
  const original = normal === text ? undefined : originalPlaces(text);
  const places = new Map<number, number>();
  let [from, length] = [0, 0];
  for (const border of marks.flatMap((mark) => [mark.from, mark.to]).sort((a, b) => a - b)) {
    length += (await tokenizer.decode(ids.subarray(from, border))).length;
    places.set(border, original?.[length] ?? length);
    from = border;
  }
  return marks.map(({ kind, from, to }) => ({ kind, from: places.get(from)!, to: places.get(to)! }));
}

/**
 * The place in a text of each place in its NFC; within what changed, the start of that. Composition never reaches over
 * an ASCII character to the left.
 */
function originalPlaces(text: string): number[] {
  const places: number[] = [];
  for (const { 0: run, index } of text.matchAll(/[\0-\x7f][^\0-\x7f]*|[^\0-\x7f]+/g))
    for (let at = 0; at < normalForm(run, 'NFC').length; at++)
      places.push(index + Math.min(at, run.length - 1));
  return [...places, text.length];
}

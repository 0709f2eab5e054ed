import { distance } from 'fastest-levenshtein';
import { canonicalJson } from '../../base/ids.ts';
import { bodyOf, foldToolInput, parseJsonBody, parseProgramBody } from '../coa/bodies.ts';
import { type BodyRule, type Profile, tagRule } from '../coa/profile.ts';
import { normalForm } from '../normalForm.ts';
import type { Trajectory } from '../trajectory.ts';
import type { NearInputs } from './filterRule.ts';

/** Maximum earlier inputs compared word by word; bounds the cost of trajectories with thousands of calls. */
const MAX_COMPARED = 256;

interface Seen extends FoldedInput {
  readonly segment: number;
}

/**
 * The tool inputs that are nearly equal to an earlier one of the same tool, at most one finding an input. Inputs that
 * are equal as they stand are left out: those are counted when a trace is converted, where it is known which of them
 * repeat a failed call.
 *
 * @param similarity least likeness of each pair of words of two queries, see {@link nearWords}
 */
export function nearRedundantInputs(
  { segments }: Pick<Trajectory, 'segments'>,
  profile: Profile,
  similarity: number,
): NearInputs[] {
  const seenOf = new Map<string, Seen[]>();
  const equalOnes = new Set<string>();
  const found: NearInputs[] = [];
  for (const [segment, { tag, text }] of segments.entries()) {
    const rule = tagRule(profile, tag);
    if (rule?.kind !== 'tool') continue;
    const body = bodyOf({ tag, text });
    const input: Seen = { segment, ...nearInput(rule.body, body) };
    const equal = `${tag}\n${foldToolInput(rule.body, body)}`;
    const seen = seenOf.get(tag) ?? [];
    seenOf.set(tag, seen);
    if (!equalOnes.has(equal)) {
      const earlier = seen.slice(-MAX_COMPARED).find((other) => isNear(other, input, similarity));
      if (earlier) found.push({ tool: tag, earlier: earlier.segment, segment });
    }
    equalOnes.add(equal);
    seen.push(input);
  }
  return found;
}

/**
 * How many of the inputs of one tool repeat an earlier one, to the letter or nearly: what is counted of a trajectory.
 *
 * @param similarity as in {@link nearRedundantInputs}; null: equal ones alone
 */
export function countRepeats(rule: BodyRule, bodies: readonly string[], similarity: number | null): number {
  const inputs = bodies.map((body) => ({ equal: foldToolInput(rule, body), ...nearInput(rule, body) }));
  return inputs.filter((input, at) =>
    inputs
      .slice(0, at)
      .some(
        (other) => other.equal === input.equal || (similarity !== null && isNear(other, input, similarity)),
      ),
  ).length;
}

function isNear(a: FoldedInput, b: FoldedInput, similarity: number): boolean {
  if (a.folded === b.folded) return true;
  return a.words !== undefined && b.words !== undefined && nearWords(a.words, b.words, similarity);
}

/** A tool input with insignificant differences folded. */
interface FoldedInput {
  /** Equal for inputs that ask the same, whatever the likeness of their words. */
  readonly folded: string;
  /** Sorted words of a query; undefined for other inputs. */
  readonly words: readonly string[] | undefined;
}

/**
 * Folds a tool input. Queries and text: Unicode form, case, punctuation and the order of words. URLs: scheme, `www.`,
 * the host's case, fragment, slash at the end, order. JSON: case and white space. Programs: comments and empty lines,
 * and white space at the ends of lines, for every other edit of a program can change what it does.
 */
export function nearInput(rule: BodyRule, body: string): FoldedInput {
  if (rule === 'code') return { folded: foldProgram(body), words: undefined };
  if (rule === 'urls') return { folded: foldUrls(body), words: undefined };
  if (rule === 'json') return { folded: foldJson(body), words: undefined };
  const words = wordsOf(body);
  return { folded: words.join(' ') || body, words };
}

/**
 * The words of a query: numbers with their sign and with what joins them (`-1.5`, `2:3`, `1/2/2020`), words with what
 * excludes them or names another thing (`-car`, `c++`, `c#`), and symbols (`<`, `€`, `%`).
 */
const queryWord =
  /(?<![\p{L}\p{M}\p{N}])-?\p{N}+(?:[.,:/*^–-]\p{N}+)*|(?<![\p{L}\p{M}\p{N}])-?[\p{L}\p{M}]+(?:\+\+|#)?|[\p{L}\p{M}\p{N}]+|[\p{S}%*/@&#]+/gu;

/** The words of a text in sorted order, see {@link queryWord}; other punctuation is left out. */
function wordsOf(text: string): string[] {
  const folded = normalForm(text, 'NFKC').toLowerCase();
  return (folded.match(queryWord) ?? []).sort();
}

function foldUrls(body: string): string {
  return body
    .split('|')
    .map((url) =>
      url
        .trim()
        // A host has no case; a path has.
        .replace(/^https?:\/\/[^/?#]*/i, (host) => host.toLowerCase().replace(/^https?:\/\/(?:www\.)?/, ''))
        .replace(/#.*$/s, '')
        .replace(/\/$/, ''),
    )
    .sort()
    .join(' | ');
}

function foldJson(body: string): string {
  const value = parseJsonBody(body);
  if (!value) return body.trim();
  return normalForm(canonicalJson(value), 'NFKC').toLowerCase().replace(/\s+/g, ' ');
}

function foldProgram(body: string): string {
  const program = parseProgramBody(body);
  const [code, stdin] = program ? [program.code, program.stdin ?? ''] : [body, ''];
  const lines = code
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !line.trimStart().startsWith('#'));
  return `${lines.join('\n')}\n\n${stdin.trimEnd()}`;
}

/** Maximum unpaired words; texts that differ in more are not nearly equal. */
const MAX_UNPAIRED = 6;
/** Maximum word length for edit distance: the cost grows with its square. */
const MAX_WORD_CHARS = 64;
/** Letters only: another number, sign or symbol makes another question, however similar. */
const isLetters = /^[\p{L}\p{M}]+$/u;

/**
 * Whether two texts have the same words but for small edits: each word of one has a partner of its own in the other,
 * and no pair is less alike than `similarity`. The likeness of two words is 1 less their Levenshtein distance as a
 * share of the longer one; words with anything but letters are alike only when equal, and so are words that begin
 * otherwise, for a prefix can turn the meaning round. With 0.9 one letter of a word of ten may differ; with 1 the words
 * are the same.
 *
 * @param a the words of a text, sorted
 * @param b likewise
 */
export function nearWords(a: readonly string[], b: readonly string[], similarity: number): boolean {
  if (a.length !== b.length || a.length === 0) return false;
  const [left, right] = withoutCommon(a, b);
  if (left.length > MAX_UNPAIRED || right.length > MAX_UNPAIRED) return false;
  return pairUp(left, right, similarity);
}

/** Words that each of two sorted lists has and the other lacks; truncated once there are too many. */
function withoutCommon(a: readonly string[], b: readonly string[]): [string[], string[]] {
  const [left, right]: [string[], string[]] = [[], []];
  let [i, j] = [0, 0];
  while ((i < a.length || j < b.length) && left.length <= MAX_UNPAIRED && right.length <= MAX_UNPAIRED) {
    const [x, y] = [a[i], b[j]];
    if (x === y) [i, j] = [i + 1, j + 1];
    else if (y === undefined || (x !== undefined && x < y)) [i] = [i + 1, left.push(x!)];
    else [j] = [j + 1, right.push(y)];
  }
  return [left, right];
}

/** True if every word on the left can be paired on the right; the lists are short. */
function pairUp(left: readonly string[], right: readonly string[], similarity: number): boolean {
  const [word, ...others] = left;
  if (word === undefined) return true;
  return right.some(
    (partner, at) => isAlike(word, partner, similarity) && pairUp(others, right.toSpliced(at, 1), similarity),
  );
}

function isAlike(a: string, b: string, similarity: number): boolean {
  const longer = Math.max(a.length, b.length);
  if (longer > MAX_WORD_CHARS || a[0] !== b[0] || !isLetters.test(a) || !isLetters.test(b)) return a === b;
  if (1 - Math.abs(a.length - b.length) / longer < similarity) return false;
  return 1 - distance(a, b) / longer >= similarity;
}

import { type ParsedBlock, parseBlocks } from '../../../schemas/coa/parse.ts';
import type { Profile } from '../../../schemas/coa/profile.ts';
import { normalForm } from '../../../schemas/normalForm.ts';

/** One replaced stretch of a text. */
export interface Edit {
  /** UTF-16 code units from the start of the text that the edit's step was given. */
  readonly offset: number;
  readonly before: string;
  readonly after: string;
  /** The text around it, for showing the edit. */
  readonly lead: string;
  readonly trail: string;
}

/** A text without what can be fixed, and every edit that led there; the text itself when there was nothing. */
export interface FixedText {
  readonly text: string;
  readonly edits: readonly Edit[];
}

type Step = (profile: Profile, text: string) => Iterable<Pick<Edit, 'offset' | 'before' | 'after'>>;

/** In this order: white space can be judged only on line feeds, and normal form only without marks in front. */
const steps: readonly Step[] = [byteOrderMarks, carriageReturns, composedForm, blockSpacing];

/** How much of the text around an edit is shown. */
const shownAround = 24;

/**
 * Fixes what can be fixed without changing what a text says: a byte order mark, line ends, the normal form, and the
 * white space between blocks. Fixing a fixed text changes nothing.
 */
export function fixText(profile: Profile, text: string): FixedText {
  let all: Edit[] = [];
  let fixed = text;
  for (const step of steps) {
    const before = fixed;
    const edits = [...step(profile, before)].map((edit) => withContext(before, edit));
    fixed = applyEdits(before, edits);
    all = all.concat(edits);
  }
  return { text: fixed, edits: all };
}

function withContext(text: string, edit: Pick<Edit, 'offset' | 'before' | 'after'>): Edit {
  const end = edit.offset + edit.before.length;
  return {
    ...edit,
    lead: text.slice(Math.max(0, edit.offset - shownAround), edit.offset),
    trail: text.slice(end, end + shownAround),
  };
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { offset, before, after } of edits) {
    parts.push(text.slice(from, offset), after);
    from = offset + before.length;
  }
  return edits.length === 0 ? text : parts.join('') + text.slice(from);
}

function* byteOrderMarks(_profile: Profile, text: string) {
  const before = /^\uFEFF+/.exec(text)?.[0];
  if (before !== undefined) yield { offset: 0, before, after: '' };
}

function* carriageReturns(_profile: Profile, text: string) {
  for (const match of text.matchAll(/(?:\r\n?)+/g)) {
    yield { offset: match.index, before: match[0], after: match[0].replace(/\r\n?/g, '\n') };
  }
}

/** A tag and what stands behind it, or a run of other characters with the ASCII character in front of it. */
const normalised = /(<\/?[a-z][a-z0-9_]*>)(?=([^\0-\x7f]+))|[\0-\x7f]?[^\0-\x7f]+/g;

/**
 * Normal form, run by run: composition never reaches over an ASCII character to the left. Marks of which one would
 * compose with a tag's `>` get a space in front, as everywhere where text is put after a tag.
 */
function* composedForm(_profile: Profile, text: string) {
  if (normalForm(text, 'NFC') === text) return;
  for (const match of text.matchAll(normalised)) {
    const [before, tag, behind = ''] = match;
    if (tag === undefined) {
      const after = normalForm(before, 'NFC');
      if (after !== before) yield { offset: match.index, before, after };
    } else if (!normalForm(`>${behind}`, 'NFC').startsWith('>')) {
      yield { offset: match.index, before, after: `${tag} ` };
    }
  }
}

function* blockSpacing(profile: Profile, text: string) {
  const { blocks, issues } = parseBlocks(profile, text);
  const byEnd = new Map(blocks.map((block) => [block.end, block]));
  for (const issue of issues) {
    if (issue.code !== 'wrong_layout') continue;
    const spaces = /\s*/y;
    spaces.lastIndex = issue.offset;
    const before = spaces.exec(text)?.[0] ?? '';
    const isLast = issue.offset + before.length === text.length;
    yield { offset: issue.offset, before, after: spacingAfter(byEnd.get(issue.offset), isLast) };
  }
}

/** The safe layout: see `layOut`. */
function spacingAfter(block: ParsedBlock | undefined, isLast: boolean): string {
  if (block === undefined) return '';
  if (block.origin === 'environment') return '\n\n';
  return isLast ? '' : '\n';
}

import { normalForm } from '../../../schemas/normalForm.ts';

/** A text in NFC, and the way back to the text as it was. */
export interface NfcText {
  readonly text: string;
  /** The place in the original of a place in the NFC text; within what changed, the start of that. */
  toOriginal(offset: number): number;
}

interface Change {
  /** Where what changed begins and ends in the NFC text and in the original. */
  readonly from: number;
  readonly to: number;
  readonly originalFrom: number;
  readonly originalTo: number;
}

/** Normalises a text; composition never reaches over an ASCII character to the left, so runs are independent. */
export function nfcText(original: string): NfcText {
  const text = normalForm(original, 'NFC');
  if (text === original) return { text, toOriginal: (offset) => offset };
  const changes = changedRuns(original);
  return { text, toOriginal: (offset) => originalOffset(changes, offset) };
}

const run = /[\0-\x7f]?[^\0-\x7f]+/g;

function changedRuns(original: string): Change[] {
  const changes: Change[] = [];
  let shift = 0;
  for (const match of original.matchAll(run)) {
    const normal = normalForm(match[0], 'NFC');
    if (normal === match[0]) continue;
    let same = 0;
    while (normal[same] === match[0][same]) same += 1;
    const originalTo = match.index + match[0].length;
    const to = match.index + shift + normal.length;
    changes.push({ from: match.index + shift + same, to, originalFrom: match.index + same, originalTo });
    shift = to - originalTo;
  }
  return changes;
}

function originalOffset(changes: readonly Change[], offset: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle]!.from <= offset) low = middle + 1;
    else high = middle;
  }
  const change = changes[low - 1];
  if (!change) return offset;
  return offset < change.to ? change.originalFrom : offset - change.to + change.originalTo;
}

/** An observation as its writer meant it. */
export interface WrittenObservation {
  /** UTF-16 code units of the start tag's first and the end tag's first character, and of the end. */
  readonly open: number;
  readonly close: number;
  readonly end: number;
}

/** A tag with its place. */
export interface WrittenTag {
  readonly offset: number;
  readonly tag: string;
}

/** Observation tags as written. */
export interface WrittenTags {
  /** In order; a pair inside a pair is text of the outer one. */
  readonly observations: readonly WrittenObservation[];
  /** The first tag without a partner, when one has none. */
  readonly unpaired: WrittenTag | undefined;
}

/** Pairs start and end tags: `exact` ones in lower case only, else in any case. */
export function writtenObservations(text: string, exact: boolean): WrittenTags {
  const observations: WrittenObservation[] = [];
  const open: WrittenTag[] = [];
  let stray: WrittenTag | undefined;
  for (const tag of tagsIn(text, exact ? 'g' : 'gi')) {
    if (!tag.tag.startsWith('</')) open.push(tag);
    else if (open.length === 0) stray ??= tag;
    else {
      const start = open.pop()!;
      if (open.length > 0) continue;
      observations.push({ open: start.offset, close: tag.offset, end: tag.offset + tag.tag.length });
    }
  }
  return { observations, unpaired: stray ?? open[0] };
}

/** Observation tags in another case than lower that stand outside the observations. */
export function wrongCaseTags(text: string, observations: readonly WrittenObservation[]): WrittenTag[] {
  let next = 0;
  return [...tagsIn(text, 'gi')].filter(({ offset, tag }) => {
    while (next < observations.length && observations[next]!.end <= offset) next += 1;
    const inside = next < observations.length && observations[next]!.open < offset;
    const isEndTag = observations[next]?.close === offset;
    return tag !== tag.toLowerCase() && (!inside || isEndTag);
  });
}

function* tagsIn(text: string, flags: string): Generator<WrittenTag> {
  for (const match of text.matchAll(new RegExp('</?observation>', flags))) {
    yield { offset: match.index, tag: match[0] };
  }
}

import { readFileSync } from 'node:fs';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import type { Segment, Trajectory } from '../../schemas/trajectory.ts';

/** The added tokens of a `tokenizer.json`. */
export function addedTokensIn(tokenizerFile: string): string[] {
  const { added_tokens = [] } = JSON.parse(readFileSync(tokenizerFile, 'utf8')) as {
    added_tokens?: { content: string }[];
  };
  return added_tokens.map(({ content }) => content);
}

/** A trajectory's texts as rows must have them. */
export interface ExpectedTexts {
  readonly system: string;
  readonly user: string;
  readonly segments: readonly Segment[];
  /** Places where an added token was escaped. */
  readonly escaped: number;
}

/**
 * Works out a row's texts without any of the exporter's code: everywhere but in a segment's own tags and in the
 * instruction of a built-in profile, each place where an added token stands, backslashes aside, has three more
 * backslashes after the token's first character, if it had none, three, six or so on.
 */
export function expectTexts(trajectory: Trajectory, added: readonly string[]): ExpectedTexts {
  let escaped = 0;
  const escapedText = (text: string): string => {
    const places = placesOf(text.toWellFormed().normalize('NFC'), added);
    escaped += places.count;
    return places.text;
  };
  const instruction = builtinProfile(trajectory.profile)?.instruction ?? '';
  const kept = trajectory.user.startsWith(instruction) ? instruction : '';
  return {
    system: escapedText(trajectory.system),
    user: kept + escapedText(trajectory.user.slice(kept.length)),
    segments: trajectory.segments.map((segment) => {
      const [, start = '', body = '', end = ''] =
        new RegExp(`^(<${segment.tag}>)(.*)(</${segment.tag}>\\n*)$`, 's').exec(segment.text) ?? [];
      return { ...segment, text: start === '' ? escapedText(segment.text) : start + escapedText(body) + end };
    }),
    get escaped() {
      return escaped;
    },
  };
}

function placesOf(text: string, added: readonly string[]): { text: string; count: number } {
  const characters = [...text];
  const bare = characters.flatMap((character, at) => (character === '\\' ? [] : [at]));
  const bareText = bare.map((at) => characters[at]);
  const heads = new Set<number>();
  for (const token of added.map((content) => [...content])) {
    bareText.forEach((character, at) => {
      if (character === token[0] && token.every((each, offset) => bareText[at + offset] === each))
        heads.add(bare[at]!);
    });
  }
  let count = 0;
  const written = characters.map((character, at) => {
    if (!heads.has(at)) return character;
    const next = characters.findIndex((each, place) => place > at && each !== '\\');
    if ((next - at - 1) % 3 !== 0) return character;
    count += 1;
    return `${character}\\\\\\`;
  });
  return { text: written.join(''), count };
}

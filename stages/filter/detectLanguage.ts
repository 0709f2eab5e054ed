import { Counts } from '../../base/counts.ts';

/** Pieces of a text that are looked at, spread over it evenly: the detector reads the beginning of what it is given. */
const PIECES = 8;
const PIECE_CHARS = 1_000;

type Eld = typeof import('eld/small')['eld'];

/** Opens the detector, `eld` with its small database of 60 languages; it takes about 150 MB. */
export async function openLanguageDetector(): Promise<{
  /** ISO 639-1 code of the language that most pieces of a text are in; null where none can be told. */
  readonly detect: (text: string) => Promise<string | null>;
  /** The codes that it can give. */
  readonly languages: readonly string[];
}> {
  const { eld } = await import('eld/small');
  return {
    detect: async (text) => mostCommon(piecesOf(text).flatMap((piece) => reliable(eld, piece))),
    languages: Object.values(eld.info().Languages),
  };
}

function reliable({ detect }: Pick<Eld, 'detect'>, piece: string): string[] {
  const result = detect(piece);
  return result.language !== '' && result.isReliable() ? [result.language] : [];
}

function piecesOf(text: string): string[] {
  const count = Math.min(PIECES, Math.ceil(text.length / PIECE_CHARS));
  return Array.from({ length: count }, (_, nth) => {
    const start = count === 1 ? 0 : Math.floor((nth * (text.length - PIECE_CHARS)) / (count - 1));
    return text.slice(start, start + PIECE_CHARS);
  });
}

/** The first of those that occur most often. */
function mostCommon(languages: readonly string[]): string | null {
  const counts = Counts.of(languages);
  let best: string | null = null;
  for (const [language, count] of counts) if (count > (counts.get(best ?? '') ?? 0)) best = language;
  return best;
}

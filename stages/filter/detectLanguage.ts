import { Counts } from '../../base/counts.ts';

/** Pieces sampled evenly over a text: the detector reads only the beginning of its input. */
const PIECES = 8;
const PIECE_CHARS = 1_000;

type Eld = typeof import('eld/small')['eld'];

/** Opens the detector, `eld` with its small database of 60 languages; it needs about 150 MB. */
export async function openLanguageDetector(): Promise<{
  /** ISO 639-1 code of the language of most pieces; null if undetected. */
  readonly detect: (text: string) => Promise<string | null>;
  /** Supported codes. */
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

/** First of the most frequent values. */
function mostCommon(languages: readonly string[]): string | null {
  const counts = Counts.of(languages);
  let best: string | null = null;
  for (const [language, count] of counts) if (count > (counts.get(best ?? '') ?? 0)) best = language;
  return best;
}

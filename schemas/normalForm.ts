const mark = String.raw`(?!\u034f)[\p{M}\uff9e\uff9f]`;

/** Long run of combining marks followed by another. */
const longRun = new RegExp(`(?:${mark}){64}(?=${mark})`, 'gu');

/**
 * Unicode's composed normal form (NFC), or the compatibility form (NFKC), in linear time.
 *
 * The runtime inserts each combining mark of a run one by one: 80,000 marks take it 14 seconds, and pages, models and
 * data sets can contain any number. So after every 64 consecutive marks an invisible U+034F is inserted, which ends a
 * run, as Unicode's stream-safe format does after 30 (UAX #15, section 13). All other texts equal the result of
 * `normalize`.
 */
export function normalForm(text: string, form: 'NFC' | 'NFKC'): string {
  return text.replace(longRun, '$&\u034f').normalize(form);
}

/** Folds a short answer: compatibility forms, case and white space. */
export function foldedText(text: string): string {
  return normalForm(text, 'NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

const mark = String.raw`(?!\u034f)[\p{M}\uff9e\uff9f]`;

/** Marks that stand in a row before a further one. */
const longRun = new RegExp(`(?:${mark}){64}(?=${mark})`, 'gu');

/**
 * Unicode's composed normal form (NFC), or the one with compatibility characters written out (NFKC), in time that grows
 * with the text's length and no faster.
 *
 * The runtime inserts each combining mark of a run into its place one by one: 80,000 marks take it 14 seconds, and pages,
 * models and data sets can hold any number. So after every 64 marks in a row an invisible U+034F is put in, which ends a
 * run, as Unicode's stream-safe format does after 30 (UAX #15, section 13). All other texts are what `normalize` gives.
 */
export function normalForm(text: string, form: 'NFC' | 'NFKC'): string {
  return text.replace(longRun, '$&\u034f').normalize(form);
}

/** A short text without what makes no other answer: compatibility forms, case and white space. */
export function foldedText(text: string): string {
  return normalForm(text, 'NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

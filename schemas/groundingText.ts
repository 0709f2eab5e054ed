import type { FilterMeasures, Grounding } from './filterMeasures.ts';

const findings: Readonly<Record<Grounding['finding'], string>> = {
  grounded: 'grounded: an observation holds the answer',
  ungrounded: 'ungrounded: no observation holds the answer',
  exempt: 'exempt',
};
const kinds: Readonly<Record<NonNullable<Grounding['exempt_as']>, string>> = {
  yes_no: 'yes or no',
  option: 'the letter of an option',
  computed: 'a computed answer',
};

/** Grounding of one trajectory as text: `grounded: an observation holds the answer; 1 of 3 looks came back empty`. */
export function groundingText({ finding, exempt_as, looks, empty_looks }: Grounding): string {
  const kind = exempt_as === undefined ? '' : `: ${kinds[exempt_as]}`;
  const empty = empty_looks === 0 ? '' : `; ${empty_looks} of ${looks} looks came back empty`;
  return `${findings[finding]}${kind}${empty}`;
}

/** First numbers and names found only in thoughts; undefined without any. */
export function unsupportedText({ unsupported_thought: found }: Pick<FilterMeasures, 'unsupported_thought'>) {
  if (!found || found.values === 0) return undefined;
  const more = found.values - found.examples.length;
  return `${found.examples.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

import type { MaskConfig } from '../../schemas/config/dataset.ts';
import type { ExpectedSpan } from './expectRow.ts';
import { type Fault, fault } from './rules.ts';
import type { EncodedText } from './tokenText.ts';
import type { UnclearStretch } from './unclearStretches.ts';

export interface JudgedMask {
  /** Token positions in the row's text. */
  readonly places: EncodedText;
  readonly trained: Uint8Array;
  readonly spans: readonly ExpectedSpan[];
  /** Span in which each token begins. */
  readonly spanOfToken: readonly ExpectedSpan[];
}

/** Expected loss of a token by its span; `across`: its parts differ. */
interface Verdict {
  readonly loss: ExpectedSpan['loss'] | 'across';
  readonly span: ExpectedSpan;
}

/** Faults of a mask that earlier faults of the row do not explain. */
export function maskFaults(mask: JudgedMask, earlier: readonly Fault[]): Fault[] {
  const { trained } = mask;
  const verdicts = verdictsOf(mask);
  const across = verdicts.flatMap(({ loss }, token) => (loss === 'across' ? [token] : []));
  const faults: Fault[] = [];
  if (across.length > 0) {
    const message = 'a token is partly in the loss and partly not: no mask is exact here';
    faults.push(fault('boundary_token', message, across[0], across.length));
  }
  if (trained.every((bit) => bit === 0))
    return [...faults, fault('empty_mask', 'nothing of the row is trained', null, trained.length)];
  const wrong = verdicts.flatMap((verdict, token) => (agrees(verdict, trained[token]) ? [] : [token]));
  if (wrong.length === 0) return faults;
  const shift = [1, -1].find((by) =>
    verdicts.every((verdict, token) => agrees(verdict, trained[token + by])),
  );
  if (shift !== undefined) {
    const message = `the mask is the right one moved by one token to the ${shift === 1 ? 'right' : 'left'}`;
    return [...faults, fault('shifted_mask', message, wrong[0], wrong.length)];
  }
  // A token across a turn border is wrong with any mask.
  const explained = new Set(
    earlier.filter(({ rule }) => rule === 'boundary_token').map(({ token }) => token),
  );
  const left = wrong.filter((token) => !explained.has(token));
  const byRule = Map.groupBy(left, (token) => ruleOf(verdicts[token]!.span, trained[token] === 1));
  for (const [rule, tokens] of byRule) {
    const message = `${messages[rule]} (first in <${verdicts[tokens[0]!]!.span.tag}>)`;
    faults.push(fault(rule, message, tokens[0], tokens.length));
  }
  return faults;
}

function verdictsOf({ places, spans, spanOfToken }: JudgedMask): Verdict[] {
  let at = 0;
  return spanOfToken.map((span, token) => {
    const end = places.ends[token]!;
    while (spans[at] !== span) at += 1;
    let verdict: Verdict = { loss: span.loss, span };
    for (let next = at + 1; next < spans.length && spans[next]!.from < end; next++)
      verdict = together(verdict, spans[next]!);
    return verdict;
  });
}

function together(one: Verdict, span: ExpectedSpan): Verdict {
  if (one.loss === 'across' || span.loss === 'either' || one.loss === span.loss) return one;
  return one.loss === 'either' ? { loss: span.loss, span } : { loss: 'across', span: one.span };
}

function agrees({ loss }: Verdict, bit: number | undefined): boolean {
  return bit === undefined || loss === 'either' || loss === 'across' || (loss === 'in') === (bit === 1);
}

const messages = {
  prompt_trained: 'the loss takes in words of the prompt',
  observation_trained: 'the loss takes in words that a tool wrote',
  left_out_trained: 'the loss takes in words that the mask options leave out',
  model_untrained: "the loss leaves out the model's own words",
} as const;

function ruleOf({ party }: ExpectedSpan, isTrained: boolean): keyof typeof messages {
  if (!isTrained) return 'model_untrained';
  if (party === 'prompt') return 'prompt_trained';
  return party === 'environment' ? 'observation_trained' : 'left_out_trained';
}

/** Reports text in the loss that may be a tool's: the first occurrence for each rule. */
export function unclearFaults(
  unclear: readonly UnclearStretch[],
  { starts }: EncodedText,
  trained: Uint8Array,
): Fault[] {
  const found = new Map<UnclearStretch['rule'], Fault>();
  let token = 0;
  for (const { rule, from, to, message } of unclear) {
    while (token < starts.length && starts[token]! < from) token += 1;
    for (; token < starts.length && starts[token]! < to; token += 1) {
      if (trained[token] !== 1) continue;
      const first = found.get(rule) ?? fault(rule, message, token, 0);
      found.set(rule, { ...first, tokens: first.tokens + 1 });
    }
  }
  return [...found.values()];
}

/** Tolerance, since weights are stored in 32 bits. */
const TOLERANCE = 1e-6;

/** First token whose stored loss weight differs from that of its tag, or from 0 if untrained. */
export function weightFaults(
  weights: readonly number[],
  trained: Uint8Array,
  spanOfToken: readonly Pick<ExpectedSpan, 'tag' | 'party'>[],
  { tag_weights }: MaskConfig,
): Fault[] {
  const expected = spanOfToken.map(({ tag, party }, token) => {
    if (trained[token] !== 1) return 0;
    return party === 'model' && Object.hasOwn(tag_weights, tag) ? tag_weights[tag]! : 1;
  });
  const wrong = expected.flatMap((weight, token) =>
    Math.abs(weight - (weights[token] ?? Number.NaN)) <= TOLERANCE * Math.max(1, weight) ? [] : [token],
  );
  const [token] = wrong;
  if (token === undefined) return [];
  const message = `the loss weight is ${weights[token]}, expected ${expected[token]}`;
  return [fault('wrong_weight', message, token, wrong.length)];
}

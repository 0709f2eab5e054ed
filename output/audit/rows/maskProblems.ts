import type { MaskConfig } from '../../../schemas/config/dataset.ts';
import type { RowProblem } from '../expectation/auditSettings.ts';
import type { ExpectedSpan } from '../expectation/expectRow.ts';
import type { UnclearStretch } from '../expectation/unclearStretches.ts';
import type { EncodedText } from '../tokenText.ts';

/** A mask with what it is held against. */
interface JudgedMask {
  /** The tokens' places in the row's text. */
  readonly places: EncodedText;
  readonly trained: Uint8Array;
  readonly spans: readonly ExpectedSpan[];
  readonly spanOfToken: readonly ExpectedSpan[];
}

/** What the loss should do with a token: `across` where parts of it should be in and others out. */
type Verdict = ExpectedSpan['loss'] | 'across';

/** What is wrong with a mask; only what no earlier problem of the row explains. */
export function maskProblems(mask: JudgedMask, earlier: readonly RowProblem[]): RowProblem[] {
  const { trained } = mask;
  const judged = judgedTokens(mask);
  const verdicts = judged.map(({ verdict }) => verdict);
  const problems = acrossProblem(verdicts);
  if (trained.every((bit) => bit === 0)) {
    const message = 'nothing of the row is trained';
    return [...problems, { kind: 'empty_mask', message, token: null, tokens: trained.length }];
  }
  const wrong = verdicts.flatMap((verdict, token) => (agrees(verdict, trained[token]) ? [] : [token]));
  if (wrong.length === 0) return problems;
  const shift = shiftOf(verdicts, trained);
  if (shift !== undefined) {
    const message = `the mask is the right one moved by one token to the ${shift}`;
    return [...problems, { kind: 'shifted_mask', message, token: wrong[0]!, tokens: wrong.length }];
  }
  // A token across a border of turns already says that this token is wrong either way.
  const explained = new Set(
    earlier.filter(({ kind }) => kind === 'boundary_token').map(({ token }) => token),
  );
  const left = wrong.filter((token) => !explained.has(token));
  return [...problems, ...byKind(left, trained, judged)];
}

/** What the loss should do with a token, and the stretch that says so. */
interface JudgedToken {
  readonly verdict: Verdict;
  readonly span: ExpectedSpan;
}

function judgedTokens({ places, spans, spanOfToken }: JudgedMask): JudgedToken[] {
  let at = 0;
  return spanOfToken.map((first, token) => {
    const end = places.ends[token]!;
    while (spans[at] !== first) at += 1;
    let judged: JudgedToken = { verdict: first.loss, span: first };
    for (let next = at + 1; next < spans.length && spans[next]!.from < end; next++) {
      judged = together(judged, spans[next]!);
    }
    return judged;
  });
}

function together(one: JudgedToken, span: ExpectedSpan): JudgedToken {
  if (one.verdict === 'across' || span.loss === 'either' || one.verdict === span.loss) return one;
  return one.verdict === 'either' ? { verdict: span.loss, span } : { verdict: 'across', span: one.span };
}

/** Places outside of the row agree with everything. */
function agrees(verdict: Verdict, bit: number | undefined): boolean {
  return (
    bit === undefined || verdict === 'either' || verdict === 'across' || (verdict === 'in') === (bit === 1)
  );
}

function acrossProblem(verdicts: readonly Verdict[]): RowProblem[] {
  const token = verdicts.indexOf('across');
  if (token < 0) return [];
  const tokens = verdicts.filter((verdict) => verdict === 'across').length;
  const message = 'a token is partly in the loss and partly not: no mask is exact here';
  return [{ kind: 'boundary_token', message, token, tokens }];
}

/** Where the mask agrees everywhere once it is moved by one place, and the move explains at least two borders. */
function shiftOf(verdicts: readonly Verdict[], trained: Uint8Array): 'left' | 'right' | undefined {
  if (verdicts.every((verdict, token) => agrees(verdict, trained[token + 1]))) return 'right';
  return verdicts.every((verdict, token) => agrees(verdict, trained[token - 1])) ? 'left' : undefined;
}

const messages = {
  prompt_trained: 'the loss takes in words of the prompt',
  observation_trained: 'the loss takes in words that a tool wrote',
  left_out_trained: 'the loss takes in words that the mask options leave out',
  model_untrained: "the loss leaves out the model's own words",
} as const;

function byKind(wrong: readonly number[], trained: Uint8Array, judged: readonly JudgedToken[]): RowProblem[] {
  const found = Map.groupBy(wrong, (token) => kindOf(judged[token]!.span, trained[token] === 1));
  return [...found].map(([kind, tokens]) => {
    const message = `${messages[kind]} (first in <${judged[tokens[0]!]!.span.tag}>)`;
    return { kind, message, token: tokens[0]!, tokens: tokens.length };
  });
}

function kindOf({ party }: ExpectedSpan, isTrained: boolean): keyof typeof messages {
  if (!isTrained) return 'model_untrained';
  if (party === 'prompt') return 'prompt_trained';
  return party === 'environment' ? 'observation_trained' : 'left_out_trained';
}

/** What may be a tool's words and is in the loss: one problem of each kind, told by the first of them. */
export function unclearProblems(
  unclear: readonly UnclearStretch[],
  { starts }: EncodedText,
  trained: Uint8Array,
): RowProblem[] {
  const found = new Map<UnclearStretch['kind'], RowProblem>();
  let token = 0;
  for (const { kind, from, to, message } of unclear) {
    while (token < starts.length && starts[token]! < from) token += 1;
    for (; token < starts.length && starts[token]! < to; token += 1) {
      if (trained[token] !== 1) continue;
      const first = found.get(kind) ?? { kind, message, token, tokens: 0 };
      found.set(kind, { ...first, tokens: first.tokens + 1 });
    }
  }
  return [...found.values()];
}

/** Weights are stored in 32 bits. */
const tolerance = 1e-6;

/** The first token whose stored loss weight is not that of its tag, or not 0 where it is not trained. */
export function weightProblems(
  weights: readonly number[],
  trained: Uint8Array,
  spanOfToken: readonly ExpectedSpan[],
  { tag_weights }: MaskConfig,
): RowProblem[] {
  const expected = spanOfToken.map(({ tag, party }, token) => {
    if (trained[token] !== 1) return 0;
    return party === 'model' && Object.hasOwn(tag_weights, tag) ? tag_weights[tag]! : 1;
  });
  const wrong = expected.flatMap((weight, token) =>
    Math.abs(weight - (weights[token] ?? Number.NaN)) <= tolerance * Math.max(1, weight) ? [] : [token],
  );
  const [token] = wrong;
  if (token === undefined) return [];
  const message = `the loss weight is ${weights[token]}, expected ${expected[token]}`;
  return [{ kind: 'wrong_weight', message, token, tokens: wrong.length }];
}

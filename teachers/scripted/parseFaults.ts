import { sha256Hex } from '../../base/ids.ts';
import { UserError } from '../../base/userError.ts';

/** A fault of one request: a status, or a truncated answer. */
export type Fault = { readonly kind: 'status'; readonly status: number } | { readonly kind: 'cut' };

export interface FaultPlan {
  readonly rates: readonly { readonly fault: Fault; readonly rate: number }[];
  /** `Retry-After` of a 429; undefined: none. */
  readonly retryAfterS: number | undefined;
  readonly seed: number;
}

/** Plan without faults. */
export const noFaults: FaultPlan = { rates: [], retryAfterS: undefined, seed: 0 };

const example = '429=0.1,500=0.05,cut=0.05,retry_after_s=1,seed=7';

/**
 * Parses a fault specification such as `429=0.1,500=0.05,cut=0.05,retry_after_s=1,seed=7`: rates from 0 to 1 by
 * status (4xx or 5xx) or `cut`, seconds for `Retry-After`, and the seed.
 * @throws UserError for an unknown key, a bad number, or rates that sum to more than 1.
 */
export function parseFaults(spec: string): FaultPlan {
  const rates: FaultPlan['rates'][number][] = [];
  let { retryAfterS, seed } = noFaults;
  for (const part of spec
    .split(',')
    .map((text) => text.trim())
    .filter(Boolean)) {
    const [key = '', text = ''] = part.split('=', 2).map((side) => side.trim());
    const value = text === '' ? Number.NaN : Number(text);
    if (!Number.isFinite(value) || value < 0) throw badPart(part, 'a number from 0 up');
    if (key === 'seed') seed = value;
    else if (key === 'retry_after_s') retryAfterS = value;
    else rates.push({ fault: parseFault(key, part), rate: value });
  }
  const sum = rates.reduce((total, { rate }) => total + rate, 0);
  if (sum > 1) throw new UserError(`--faults "${spec}": the rates sum to ${sum}, expected 1 at most`);
  return { rates, retryAfterS, seed };
}

function parseFault(key: string, part: string): Fault {
  if (key === 'cut') return { kind: 'cut' };
  if (/^[45]\d\d$/.test(key)) return { kind: 'status', status: Number(key) };
  throw badPart(part, 'a status from 400 to 599, cut, retry_after_s or seed before the "="');
}

function badPart(part: string, expected: string): UserError {
  return new UserError(
    `--faults: "${part}" is not understood, expected ${expected}; for instance ${example}`,
  );
}

/**
 * Fault of a request, if any, determined by the seed, the request's content and its earlier occurrences, so that the
 * order of requests does not matter.
 */
export function faultOf(plan: FaultPlan, contentHash: string, timesSeen: number): Fault | undefined {
  let left = Number.parseInt(sha256Hex(`${plan.seed}:${contentHash}:${timesSeen}`).slice(0, 8), 16) / 2 ** 32;
  for (const { fault, rate } of plan.rates) {
    if (left < rate) return fault;
    left -= rate;
  }
  return undefined;
}

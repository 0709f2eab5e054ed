import { count, dollars } from '../../base/figures.ts';
import type { RunSpending } from './runFile.ts';

/**
 * Billed tokens and dollars, and the possible addition. Without a price no dollars are shown: zero would be wrong.
 */
export function billedText({ cost_usd, tokens, unbilled }: RunSpending): string {
  const amounts = (of: Pick<RunSpending, 'cost_usd' | 'tokens'>) => [
    `${count(of.tokens)} tokens`,
    ...(of.cost_usd > 0 ? [dollars(of.cost_usd)] : []),
  ];
  const billed = amounts({ cost_usd, tokens }).join(' · ');
  if (unbilled.requests === 0) return billed;
  const without = `${count(unbilled.requests)} ${unbilled.requests === 1 ? 'request' : 'requests'} without a bill`;
  return `${billed} · up to ${amounts(unbilled).join(' and ')} more for ${without}`;
}

/** Variant with the number of requests; undefined if none was sent. */
export function spendingText(spending: RunSpending): string | undefined {
  if (spending.requests === 0) return undefined;
  return `${count(spending.requests)} requests · ${billedText(spending)}`;
}

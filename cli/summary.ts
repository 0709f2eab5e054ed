import { printable } from '../base/printable.ts';
import { sum, totalOf } from '../base/sum.ts';
import {
  type GroundingCounts,
  groundingAdvice,
  groundingNotice,
  isBarelyGrounded,
} from '../schemas/groundingCounts.ts';
import type { Manifest } from '../schemas/manifest.ts';
import { mixNotice } from '../schemas/mixedRow.ts';
import { preferenceNotice } from '../schemas/preferenceCounts.ts';
import { type FunnelRow, type ReportData, rolloutsOfTasks } from '../schemas/report.ts';
import { memberNotices, rolloutNotice } from '../schemas/rolloutRates.ts';
import { spendingText } from '../schemas/run/spending.ts';
import type { TargetFile } from '../schemas/run/targetFile.ts';
import { fewTestsNotice, type TasksByTests } from '../schemas/tasksByTests.ts';
import { formatBytes, formatCount, formatTable } from './format.ts';
import { type Colour, coloured } from './outputMode.ts';
import { targetText } from './targetText.ts';
import { workersLines } from './workersLines.ts';

/** Summary tables of a run: funnel, use, rows, files. */
export function summaryLines(data: ReportData): string[] {
  return [
    ...funnelLines(data.funnel, data.target),
    ...ownCodeLines(data.examples),
    ...(data.target ? [`target: ${targetText(data.target)}`] : keptLines(data)),
    ...groundingLines(data.grounding),
    ...useLines(data),
    ...retryLines(data.retries),
    ...(data.workers ? ['', ...workersLines(data.workers)] : []),
    ...datasetLines(data),
  ];
}

/** Colours by column index. */
const funnelColours = { 2: 'green', 3: 'yellow', 4: 'red' } as Readonly<Record<number, Colour>>;

/** Funnel: each stage's inputs are passed, dropped or failed, with reasons. */
export function funnelLines(funnel: readonly FunnelRow[], target?: TargetFile | null): string[] {
  const rows = funnel.map(({ stage, entered, emitted, dropped, failed }) => [
    stage,
    entered,
    emitted,
    totalOf(dropped),
    totalOf(failed),
    reasons({ ...dropped, ...failed }),
  ]);
  const table = formatTable([['stage', 'in', 'kept', 'dropped', 'failed', 'reasons'], ...rows], {
    paint: (text, column) => {
      const colour = funnelColours[column];
      return colour && text.trim() !== '0' ? coloured(colour, text) : text;
    },
  });
  return [...table, ...rolloutLines(funnel, target)];
}

function rolloutLines(funnel: readonly FunnelRow[], target?: TargetFile | null): string[] {
  const of = rolloutsOfTasks(funnel, target);
  return of ? [`${formatCount(of.rollouts)} rollouts of ${formatCount(of.tasks)} tasks`] : [];
}

/** First error of user code at each stage. */
function ownCodeLines(examples: ReportData['examples']): string[] {
  const errors = examples.filter(({ kind }) => kind === 'own_code');
  const first = new Map(errors.toReversed().map(({ stage, message }) => [stage, message]));
  return [...first].map(([stage, message]) => `own_code at ${stage}: ${printable(message)}`);
}

/** Grounding of answers, with advice if most are not grounded. */
function groundingLines(counts: GroundingCounts | null): string[] {
  const notice = counts && groundingNotice(counts);
  if (!counts || !notice) return [];
  return [isBarelyGrounded(counts) ? `UNGROUNDED: ${notice}: ${groundingAdvice}` : `grounding: ${notice}`];
}

/** Share of a run's tasks in the dataset. */
function keptLines({ funnel, manifest }: ReportData): string[] {
  const { stage, entered } = funnel[0] ?? { stage: '', entered: 0 };
  const kept = manifest?.tasks ?? funnel.at(-1)?.emitted ?? 0;
  if (!manifest || entered === 0) return [];
  const what = stage === 'tasks' ? 'tasks' : 'records';
  return [
    `kept: ${formatCount(kept)} of ${formatCount(entered)} ${what} (${Math.round((100 * kept) / entered)}%)`,
  ];
}

function useLines({ spent, roles, tools }: ReportData): string[] {
  const text = spendingText(spent);
  const sumOf = (of: (role: ReportData['roles'][number]) => number) => sum(roles.map(of));
  const prompt = sumOf(({ prompt_tokens }) => prompt_tokens);
  const cached = sumOf(({ cached_tokens }) => cached_tokens);
  const lines = [
    ...(text === undefined ? [] : [`spent: ${text}${cachedText(cached, prompt)}`]),
    ...toolLines(tools),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Empty without cached tokens, which many endpoints do not report. */
function cachedText(cached: number, prompt: number): string {
  if (cached === 0) return '';
  return ` (${Math.round((100 * cached) / prompt)}% of the prompts cached by the endpoint)`;
}

function retryLines(retries: ReportData['retries']): string[] {
  const total = totalOf(retries);
  return total === 0
    ? []
    : [`${formatCount(total)} requests were sent again, in all sessions: ${reasons(retries)}`];
}

function toolLines(tools: ReportData['tools']): string[] {
  const total = (figure: 'calls' | 'cached' | 'failed') => tools.reduce((sum, tool) => sum + tool[figure], 0);
  if (total('calls') === 0) return [];
  return [
    `${formatCount(total('calls'))} tool calls, ${formatCount(total('cached'))} of them from the cache, ${formatCount(total('failed'))} failed`,
  ];
}

function datasetLines({ manifest }: ReportData): string[] {
  if (!manifest) return [];
  const { rollouts, tasks } = manifest;
  const ofTasks = rollouts && tasks !== undefined ? ` of ${formatCount(tasks)} tasks` : '';
  const profiles = Object.entries(manifest.profiles).map(([profile, rows]) => `${profile} ${rows}`);
  return [
    '',
    `${formatCount(manifest.rows)} rows${ofTasks}${profiles.length > 0 ? ` (${profiles.join(', ')})` : ''}, ${formatCount(manifest.tokens)} tokens, ${formatCount(manifest.trained_tokens)} trained`,
    ...(manifest.rollouts ? [rolloutNotice(manifest.rollouts), ...memberNotices(manifest.rollouts)] : []),
    ...(manifest.preference ? [preferenceNotice(manifest.preference)] : []),
    ...(manifest.mix ?? []).map((file) => `mix: ${printable(mixNotice(file, manifest.rows))}`),
    ...fewTestsLines(manifest.tasks_by_tests),
    ...(manifest.rows === 0 ? [] : fileLines(manifest)),
  ];
}

function fileLines({ files }: Manifest): string[] {
  return [...formatTable([['file', 'size'], ...files.map(({ path, bytes }) => [path, formatBytes(bytes)])])];
}

/** Warning if programs were judged by few tests; empty otherwise. */
export function fewTestsLines(counts: TasksByTests = {}): string[] {
  const notice = fewTestsNotice(counts);
  return notice === undefined ? [] : [`FEW TESTS: ${notice}`];
}

function reasons(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ');
}

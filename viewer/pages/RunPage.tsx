import { useRoute } from 'preact-iso';
import { formatInterval } from '../../base/figures.ts';
import type { SeriesPoint } from '../../base/statistics/reduceSeries.ts';
import type { RunStatus } from '../../operations/report/readStatus.ts';
import type { RunSpending } from '../../schemas/run/runFile.ts';
import { billedText } from '../../schemas/run/spending.ts';
import type { WorkersView } from '../../schemas/run/workersView.ts';
import type { RunAnswer } from '../api.ts';
import { Chart } from './chart/Chart.tsx';
import { Dataset, Jobs } from './DatasetPage.tsx';
import { Funnel } from './Funnel.tsx';
import { InertText, Raw } from './InertText.tsx';
import { useKeys } from './keys.ts';
import { Report } from './report/Report.tsx';
import { Shell } from './Shell.tsx';
import { type Column, Facts, Table } from './Table.tsx';
import { exported, sourcePath, useAnswer, useLive } from './useAnswer.ts';
import { count, counted, dollars, duration, moment, words } from './words.ts';

export function RunPage() {
  const name = useRoute().params.name!;
  const live = useLive(name);
  const { data, error } = useAnswer<RunAnswer>(sourcePath(name), `${live?.revision} ${live?.running}`);
  const base = `/runs/${encodeURIComponent(name)}`;
  const go = (path: string) => () => document.querySelector<HTMLElement>(`a[href="${path}"]`)?.click();
  useKeys({ f: go(`${base}/rows`), '/': go(`${base}/rows`), u: go('/') });
  return (
    <Shell
      title={name}
      trail={[{ name }]}
      run={name}
      progress={live?.progress ?? data?.progress}
      isRunning={live?.running}
      error={error}
    >
      {data?.problems
        .filter((problem) => problem !== data.progress.problem)
        .map((problem) => (
          <p class="error" role="alert" key={problem}>
            <InertText text={problem} />
          </p>
        ))}
      {data?.status?.failing_servers?.map(({ server, message, failures, asked_wait_ms: wait }) => (
        <p class="error" role="alert" key={server}>
          <InertText
            text={`${server}: ${message}; ${counted(failures, 'failure')} and no answer since${wait > 0 ? `; it asks to wait ${duration(wait)}` : ''}`}
          />
        </p>
      ))}
      {data?.status && <RunFacts run={data} status={data.status} />}
      {data?.status && (
        <Funnel base={base} funnel={data.status.funnel} hasRollouts={data.rollouts !== null} />
      )}
      {data?.status && <Workers view={live?.workers ?? data.status.workers} />}
      {data && <SpendChart minutes={data.minutes} spent={data.status?.spent} />}
      {data && <Failures base={base} failures={data.failures} />}
      {data && <Report run={data} base={base} />}
      {exported && data?.manifest && <Dataset manifest={data.manifest} notices={data.notices} base={base} />}
      {exported && data && <Jobs jobs={data.jobs} base={base} />}
      {data && <Settings run={data} />}
    </Shell>
  );
}

function RunFacts({ run, status }: { readonly run: RunAnswer; readonly status: RunStatus }) {
  const { spent, yield: soFar, running, complete } = status;
  const retries = run.minutes.reduce((sum, minute) => sum + minute.retries, 0);
  const facts: [string, string | undefined][] = [
    ['State', `${run.state}${running ? ', running' : complete ? '' : ', stopped'}`],
    [
      'Kept so far',
      soFar &&
        `${count(soFar.kept)} of ${count(soFar.finished)} finished (${Math.round((100 * soFar.kept) / soFar.finished)}%)`,
    ],
    ['Expected at the end', soFar?.expected_kept ? formatInterval(soFar.expected_kept) : undefined],
    ['Rows', run.manifest ? count(run.manifest.rows) : undefined],
    [
      'Requests',
      spent.requests > 0 ? `${count(spent.requests)}, of them ${count(retries)} sent again` : undefined,
    ],
    ['Spent', spent.requests > 0 ? billedText(spent) : undefined],
    ['A kept row', soFar?.cost_usd_a_kept_row != null ? dollars(soFar.cost_usd_a_kept_row) : undefined],
    ['Models', run.models.join(', ') || undefined],
    ['Begun', moment(run.created_at)],
  ];
  return <Facts facts={facts} />;
}

function Failures({ base, failures }: { readonly base: string } & Pick<RunAnswer, 'failures'>) {
  if (failures.length === 0) return null;
  return (
    <section>
      <h2>Failures by cause</h2>
      <ul class="failures">
        {failures.map(({ stage, cause, records, example, advice, retry }) => (
          <li key={`${stage} ${cause}`}>
            <a href={`${base}/rows?${new URLSearchParams({ state: 'failed', stage, reason: cause })}`}>
              {counted(records, 'record')}
            </a>{' '}
            failed in {stage}: <b>{words(cause)}</b>
            {example && (
              <div class="quoted">
                for instance <a href={`${base}/records/${encodeURIComponent(example.key)}`}>{example.key}</a>:{' '}
                <InertText text={example.message} />
              </div>
            )}
            <div>
              What to do: {advice}
              {retry && (
                <>
                  , then <code>{retry}</code>
                </>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Settings({ run: { name, settings, variant_of } }: { readonly run: RunAnswer }) {
  return (
    <section>
      <h2>Settings</h2>
      {variant_of && (
        <div>
          <p>
            Decided again from the records of{' '}
            <a href={`/runs/${encodeURIComponent(variant_of.run)}`}>{variant_of.run}</a>, with{' '}
            {counted(variant_of.set.length, 'other setting')} (
            <a href={`/compare?${new URLSearchParams({ a: variant_of.run, b: name })}`}>compare</a>):
          </p>
          <ul>
            {variant_of.set.map((set) => (
              <li key={set}>
                <code>{set}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
      <details>
        <summary>All settings</summary>
        <Raw label="All settings" text={JSON.stringify(settings, null, 2)} />
      </details>
    </section>
  );
}

/** Workers of a run, shared limits and budget. */
export function Workers({ view }: { readonly view: WorkersView | undefined }) {
  if (!view) return null;
  return (
    <section class="workers">
      <h2>Workers</h2>
      <p class="note">{view.summary}</p>
      {view.workers.length > 0 && <Table label="Workers" columns={columns} rows={view.workers} />}
      <ul>
        {view.rates.map((rate) => (
          <li key={`${rate.provider} ${rate.counts}`}>
            <InertText text={rate.provider} />: {count(rate.per_minute)} {rate.counts} a minute allowed;{' '}
            {view.open && `${count(rate.last_minute)} in the last minute, `}at most{' '}
            {count(rate.most_in_minute)} in any
          </li>
        ))}
        {view.purse.map((purse) => (
          <Purse key={purse.counts} purse={purse} isOpen={view.open} />
        ))}
      </ul>
    </section>
  );
}

type WorkerView = WorkersView['workers'][number];

const columns: readonly Column<WorkerView>[] = [
  ['Worker', ({ name }) => <InertText text={name} />],
  ['State', ({ state }) => state],
  [
    'Tasks',
    (one) => (one.state === 'working' ? `${count(one.tasks_in_hand)} of ${count(one.room)}` : '–'),
    'number',
  ],
  ['Records', ({ records }) => count(records), 'number'],
  ['Shards', ({ shards }) => count(shards), 'number'],
  ['Leases lost', ({ lost_leases }) => count(lost_leases), 'number'],
  ['Calls', ({ calls }) => count(calls), 'number'],
  ['A minute', ({ calls_a_minute }) => count(calls_a_minute), 'number'],
  ['In flight', ({ calls_in_flight }) => count(calls_in_flight), 'number'],
  ['CPU', ({ cpu_ms }) => duration(cpu_ms), 'number'],
  ['Spent', (one) => (one.cost_usd > 0 ? dollars(one.cost_usd) : counted(one.tokens, 'token')), 'number'],
  ['Share', ({ share }) => `${Math.round(100 * share)}%`, 'number'],
];

function Purse({
  purse,
  isOpen,
}: {
  readonly purse: WorkersView['purse'][number];
  readonly isOpen: boolean;
}) {
  const { counts, cap, spent, in_hand, blocks } = purse;
  const amount = (value: number) => (counts === 'usd' ? dollars(value) : counted(value, 'token'));
  return (
    <li>
      Budget: workers spent {amount(spent)} of {amount(cap)}, handed out in {counted(blocks, 'block')}
      {isOpen && `; ${amount(in_hand)} in hand`}
    </li>
  );
}

/** Maximum bars; a longer run has several minutes a bar. */
const MAX_BARS = 100;
const MINUTE_MS = 60_000;

type Spent = Omit<RunAnswer['minutes'][number], 'at_ms'>;
const nothing: Spent = { calls: 0, retries: 0, cost_usd: 0, tokens: 0 };

interface SpendChartProps {
  readonly minutes: RunAnswer['minutes'];
  readonly spent: RunSpending | undefined;
}

/** Requests and retries over time, and cost, or tokens without a price. */
function SpendChart({ minutes, spent: all }: SpendChartProps) {
  if (minutes.length === 0 || !all) return null;
  const first = minutes[0]!.at_ms;
  const span = minutes.at(-1)!.at_ms - first + MINUTE_MS;
  const width = Math.max(MINUTE_MS, Math.ceil(span / MINUTE_MS / MAX_BARS) * MINUTE_MS);
  const bars = new Array<Spent>(Math.ceil(span / width)).fill(nothing);
  for (const minute of minutes) {
    const at = Math.floor((minute.at_ms - first) / width);
    bars[at] = sumOf([bars[at]!, minute]);
  }
  const total = sumOf(bars);
  const most = maxOf(bars.map(({ calls, retries }) => calls + retries));
  const hasPrice = total.cost_usd > 0;
  const spent = hasPrice ? 'cost_usd' : 'tokens';
  const amount = (value: number) => (hasPrice ? dollars(value) : `${count(value)} tokens`);
  const time = { axis: 'since the first', barWidth: width, wordsOf: duration };
  const seriesOf = (name: keyof Spent) => ({
    name: name === 'retries' ? 'sent again' : words(name),
    points: bars.map((bar, at): SeriesPoint => [at * width, bar[name]]),
  });
  return (
    <section>
      <h2>Requests and spending over time</h2>
      <div class="lines">
        <Chart
          title={`${count(total.calls + total.retries)} requests over ${duration(span)}, at most ${count(most)} in ${duration(width)}`}
          {...time}
          series={['calls', 'retries'].map((name) => seriesOf(name as keyof Spent))}
        />
        {total[spent] > 0 && (
          <Chart
            title={`${billedText(all)} in all, at most ${amount(maxOf(bars.map((bar) => bar[spent])))} in ${duration(width)}`}
            {...time}
            textOf={hasPrice ? dollars : undefined}
            series={[seriesOf(spent)]}
          />
        )}
      </div>
    </section>
  );
}

function sumOf(all: readonly Spent[]): Spent {
  const sum = (key: keyof Spent) => all.reduce((total, spent) => total + spent[key], 0);
  return { calls: sum('calls'), retries: sum('retries'), cost_usd: sum('cost_usd'), tokens: sum('tokens') };
}

function maxOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

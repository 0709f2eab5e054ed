import { useRoute } from 'preact-iso';
import type { RunStatus } from '../../operations/report/readStatus.ts';
import { billedText } from '../../schemas/run/spending.ts';
import type { RunAnswer } from '../api.ts';
import { Dataset, Jobs } from './DatasetPage.tsx';
import { exported } from './exported.ts';
import { Facts } from './Facts.tsx';
import { Funnel } from './Funnel.tsx';
import { InertText, Raw } from './InertText.tsx';
import { useKeys } from './keys.ts';
import { Report } from './report/Report.tsx';
import { Shell } from './Shell.tsx';
import { SpendChart } from './SpendChart.tsx';
import { sourcePath, useAnswer, useLive } from './useAnswer.ts';
import { Workers } from './Workers.tsx';
import { count, counted, dollars, moment, words } from './words.ts';

/** A run: how far it is, what became of its records, what it spent, with what settings. */
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
    ['Expected at the end', soFar?.expected_kept != null ? `about ${count(soFar.expected_kept)}` : undefined],
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

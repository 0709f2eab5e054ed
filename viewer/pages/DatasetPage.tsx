import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import type { Manifest } from '../../schemas/manifest.ts';
import type { CheckAnswer, CountsAnswer, RunAnswer, ViewedJob } from '../api.ts';
import { figureNames, figureTitles } from '../index/fields.ts';
import { Histogram } from './chart/Chart.tsx';
import { Card, FileGroups, RowPreview } from './DatasetFiles.tsx';
import { InertText } from './InertText.tsx';
import { useKeys, useListKeys } from './keys.ts';
import { Curves, JobFacts, namedCurve, stateOf } from './results/Job.tsx';
import { Shell } from './Shell.tsx';
import { Facts } from './Table.tsx';
import { exported, sourcePath, useAnswer, useLive } from './useAnswer.ts';
import { count, counted, words } from './words.ts';

export function DatasetPage() {
  const name = useRoute().params.name!;
  const { data, error } = useAnswer<RunAnswer>(sourcePath(name));
  const base = `/runs/${encodeURIComponent(name)}`;
  useListKeys('main a');
  useKeys({ u: () => document.querySelector<HTMLElement>(`a[href="${base}"]`)?.click() });
  return (
    <Shell
      title="Dataset and training"
      trail={[{ href: base, name }, { name: 'dataset' }]}
      run={name}
      error={error}
    >
      {data && !data.manifest && <p class="empty">The dataset has not been written.</p>}
      {data?.manifest && (
        <>
          <Dataset manifest={data.manifest} notices={data.notices} base={base} />
          <Columns name={name} />
          <RowPreview name={name} files={data.manifest.files} />
          <Check name={name} />
          <Card name={name} />
        </>
      )}
      {data && data.jobs.length === 0 && (
        <p class="empty">No training job was started: coa-distill train {name}</p>
      )}
      {data && <Jobs jobs={data.jobs} base={base} />}
    </Shell>
  );
}

interface DatasetProps {
  readonly manifest: Manifest;
  readonly notices: readonly string[];
  readonly base: string;
}

export function Dataset({ manifest, notices, base }: DatasetProps) {
  const { rows, tokens, trained_tokens, tokenizer, chat_template, cutoff_len, splits, files } = manifest;
  const facts: [string, string][] = [
    ['Rows', `${count(rows)}: ${count(splits.train)} to train on, ${count(splits.validation)} to validate`],
    ['Tokens', `${count(tokens)}, of them ${count(trained_tokens)} trained`],
    ['Tokenizer', `${tokenizer.name} (${tokenizer.encoder}, ${tokenizer.sha256.slice(0, 12)})`],
    ['Chat markup', chat_template.name],
    ['Row limit', `${count(cutoff_len)} tokens; ${count(manifest.cut_rows)} rows cut to fit`],
    ['Tokens across a segment border', count(manifest.boundary_tokens)],
    ['Control tokens escaped in texts', count(manifest.disarmed_tokens)],
    ['Texts repaired as Unicode', count(manifest.repaired_texts)],
    ['Formats', manifest.formats.join(', ')],
  ];
  return (
    <section>
      <h2>Dataset</h2>
      <Facts facts={facts} />
      <p>
        <a href={`${base}/rows?state=kept`}>Its records</a>
      </p>
      {notices.map((notice) => (
        <p key={notice}>{notice}.</p>
      ))}
      <FileGroups files={files} />
    </section>
  );
}

/** Histograms of the kept records; constant figures are left out. */
function Columns({ name }: { readonly name: string }) {
  const revision = useLive(name)?.revision;
  const { data } = useAnswer<CountsAnswer>(`${sourcePath(name)}/counts?state=kept`, revision);
  if (!data) return null;
  return (
    <section>
      <h2>Columns</h2>
      <div class="lines">
        {figureNames.map((figure) => {
          const bins = data.histograms[figure];
          if (!bins || bins.counts.filter((times) => times > 0).length < 2) return null;
          return <Histogram key={figure} title={figureTitles[figure]} bins={bins} of="records" />;
        })}
      </div>
    </section>
  );
}

export function Jobs({ jobs, base }: { readonly jobs: readonly ViewedJob[]; readonly base: string }) {
  if (jobs.length === 0) return null;
  return (
    <section>
      <h2>Training</h2>
      {jobs.map((job) => (
        <div key={job.record.job}>
          <h3>
            <a href={`${base}/training/${encodeURIComponent(job.record.job)}`}>{job.record.job}</a>
          </h3>
          {exported ? (
            <>
              <JobFacts job={job} />
              <Curves jobs={[namedCurve(job.record.job, job)]} />
            </>
          ) : (
            <p>
              {stateOf(job)}, step {count(job.curve.latest_step)} of {count(job.record.plan.steps.total)}
            </p>
          )}
        </div>
      ))}
    </section>
  );
}

function Check({ name }: { readonly name: string }) {
  const [isAsked, setAsked] = useState(false);
  const { data, error } = useAnswer<CheckAnswer>(isAsked ? `${sourcePath(name)}/check` : undefined);
  return (
    <section aria-live="polite">
      <h2>Check</h2>
      {!isAsked && (
        <p>
          <button type="button" onClick={() => setAsked(true)}>
            Check the first rows
          </button>{' '}
          <span class="note">
            All of them: <code>coa-distill check {name}</code>
          </span>
        </p>
      )}
      {isAsked && !data && !error && <p class="empty">Checking …</p>}
      {error && <p class="error">{error}</p>}
      {data && <Findings check={data} />}
    </section>
  );
}

function Findings({ check: { totals, first } }: { readonly check: CheckAnswer }) {
  return (
    <>
      <p class={totals.findings > 0 ? 'bad' : ''}>
        {totals.findings === 0 ? 'Nothing found.' : counted(totals.findings, 'finding')}
      </p>
      <ul>
        {totals.parts.map(({ path, layout, rows, checked, trained_tokens, tokens }) => (
          <li key={path}>
            <InertText text={`${path} (${layout})`} />: {count(checked)} of {counted(rows, 'row')},{' '}
            {count(trained_tokens)} of {counted(tokens, 'token')} in the loss
          </li>
        ))}
      </ul>
      {first.length > 0 && (
        <ul class="failures">
          {first.map(({ rule, file, row, message }, at) => (
            <li key={at}>
              {words(rule)} <InertText text={row === null ? file : `${file} row ${row}`} />
              <div class="quoted">
                <InertText text={message} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

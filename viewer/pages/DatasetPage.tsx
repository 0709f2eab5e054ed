import { useRoute } from 'preact-iso';
import type { CardAnswer, Manifest, ReportJob, RunAnswer } from '../api.ts';
import { Audit } from './Audit.tsx';
import { Facts } from './Facts.tsx';
import { InertText } from './InertText.tsx';
import { useKeys, useListKeys } from './keys.ts';
import { Shell } from './Shell.tsx';
import { sourcePath, useAnswer } from './useAnswer.ts';
import { count, words } from './words.ts';

/** What a run's dataset holds, and the jobs that were trained on it. */
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
          <Dataset manifest={data.manifest} base={base} />
          <Audit name={name} />
          <Card name={name} />
        </>
      )}
      {data && data.jobs.length === 0 && (
        <p class="empty">No training job was started: coa-distill train {name}</p>
      )}
      {data && data.jobs.length > 0 && <Jobs jobs={data.jobs} base={base} />}
    </Shell>
  );
}

function Dataset({ manifest, base }: { readonly manifest: Manifest; readonly base: string }) {
  const {
    rows,
    tokens,
    trained_tokens,
    tokenizer,
    chat_template,
    cutoff_len,
    cut_rows,
    splits,
    files,
    formats,
  } = manifest;
  const facts: [string, string][] = [
    ['Rows', `${count(rows)}: ${count(splits.train)} to train on, ${count(splits.validation)} to validate`],
    ['Tokens', `${count(tokens)}, of them ${count(trained_tokens)} trained`],
    ['Tokenizer', `${tokenizer.name} (${tokenizer.encoder})`],
    ['Chat markup', chat_template.name],
    ['Longest row', `${count(cutoff_len)} tokens; ${count(cut_rows)} rows cut to fit`],
    ['Formats', formats.join(', ')],
  ];
  return (
    <section>
      <Facts facts={facts} />
      <p>
        <a href={`${base}/rows?state=kept`}>Its records</a>
      </p>
      <section class="scroll" tabIndex={0} aria-label="Files of the dataset">
        <table>
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col" class="number">
                Rows
              </th>
              <th scope="col" class="number">
                Trained tokens
              </th>
              <th scope="col" class="number">
                Bytes
              </th>
              <th scope="col">SHA-256</th>
            </tr>
          </thead>
          <tbody>
            {files.map(({ path, rows: own, trained_tokens: trained, bytes, sha256 }) => (
              <tr key={path}>
                <th scope="row">{path}</th>
                <td class="number">{own === null ? '' : count(own)}</td>
                <td class="number">{trained === null ? '' : count(trained)}</td>
                <td class="number">{count(bytes)}</td>
                <td>
                  <code class="hash" title={sha256}>
                    {sha256}
                  </code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

/** The card that goes with the files, as it is written. */
function Card({ name }: { readonly name: string }) {
  const { data } = useAnswer<CardAnswer>(`${sourcePath(name)}/card`);
  if (!data || data.text === '') return null;
  return (
    <details>
      <summary>Card</summary>
      <pre class="raw" role="region" tabIndex={0} aria-label="Card">
        <InertText text={data.text} />
      </pre>
    </details>
  );
}

function Jobs({ jobs, base }: { readonly jobs: readonly ReportJob[]; readonly base: string }) {
  return (
    <section>
      <h2>Training</h2>
      <ul>
        {jobs.map(({ record, curve }) => (
          <li key={record.job}>
            <a href={`${base}/training/${encodeURIComponent(record.job)}`}>{record.job}</a>:{' '}
            {outcomeOf(record)}, step {count(curve.latest_step)} of {count(record.plan.steps.total)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How a job's latest attempt ended, in words. */
export function outcomeOf({ attempts }: ReportJob['record']): string {
  const end = attempts.at(-1)?.end;
  if (!end) return 'no end is known';
  return end.cause === null ? end.outcome : `${end.outcome}: ${words(end.cause)}`;
}

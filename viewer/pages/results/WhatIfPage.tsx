import { useRef } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { WhatIfCounts } from '../../../operations/variant/whatIf.ts';
import { useKeys, useListKeys } from '../keys.ts';
import { NumberInput } from '../NumberInput.tsx';
import { useCopy } from '../RowsPage.tsx';
import { Shell } from '../Shell.tsx';
import { type Column, Table } from '../Table.tsx';
import { sourcePath, useAnswer } from '../useAnswer.ts';
import { count, counted, words } from '../words.ts';

/** Moves the filter's thresholds and shows at once what they would keep. */
export function WhatIfPage() {
  const name = useRoute().params.name!;
  const { route } = useLocation();
  const set = new Map(new URLSearchParams(location.search).getAll('set').map((pair) => splitPair(pair)));
  const query = new URLSearchParams([...set].map(([key, value]) => ['set', `${key}=${value}`]));
  const { data, error } = useAnswer<WhatIfCounts>(`${sourcePath(name)}/what-if?${query}`);
  // What can't be counted takes the thresholds away from nobody.
  const last = useRef<WhatIfCounts>(undefined);
  last.current = data ?? last.current;
  const base = `/runs/${encodeURIComponent(name)}`;
  const [isCopied, copy] = useCopy(data?.command ?? '');
  const change = (key: string, value: string | undefined) => {
    const changed = new Map(set);
    if (value === undefined) changed.delete(key);
    else changed.set(key, value);
    const next = new URLSearchParams([...changed].map(([own, to]) => ['set', `${own}=${to}`]));
    route(`${base}/what-if${next.size > 0 ? `?${next}` : ''}`, true);
  };
  useListKeys('.threshold :is(input[type=range], select)');
  useKeys({ u: () => route(base), y: copy });
  const shown = last.current;
  return (
    <Shell title="What if" trail={[{ href: base, name }, { name: 'what if' }]} run={name} error={error}>
      {shown && shown.records === 0 && <p class="empty">The filter has not decided on any record yet.</p>}
      {shown && shown.records > 0 && (
        <div class="what-if">
          <section aria-label="Thresholds">
            {shown.thresholds.map((threshold) => (
              <ThresholdInput
                key={threshold.key}
                threshold={threshold}
                set={set.get(threshold.key)}
                onSet={(value) => change(threshold.key, value)}
              />
            ))}
          </section>
          <section aria-label="What the filter would keep">
            <Counts counts={shown} base={base} />
            {data?.command && (
              <>
                <h2>Make this run</h2>
                <pre>
                  <code>{data.command}</code>
                </pre>
                <p class="toolbar">
                  <button type="button" onClick={copy}>
                    {isCopied ? 'Copied' : 'Copy the command'}
                  </button>
                </p>
              </>
            )}
          </section>
        </div>
      )}
    </Shell>
  );
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at), pair.slice(at + 1)];
}

interface ThresholdInputProps {
  readonly threshold: WhatIfCounts['thresholds'][number];
  /** Undefined: as the run has it. */
  readonly set: string | undefined;
  readonly onSet: (value: string | undefined) => void;
}

function ThresholdInput({ threshold: { key, value, range, choices }, set, onSet }: ThresholdInputProps) {
  const title = words(key.replace('filters.', '').replaceAll('.', ': '));
  const own = value === null ? '' : String(value);
  const shown = set === 'null' ? '' : (set ?? own);
  const choose = (text: string) => onSet(text === own ? undefined : text === '' ? 'null' : text);
  return (
    <fieldset class="threshold">
      <legend>
        {title}
        {set !== undefined && <small> was {own || 'no limit'}</small>}
      </legend>
      {choices && (
        <select
          aria-label={title}
          value={shown}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      )}
      {range && (
        <div class="range">
          <input
            type="range"
            aria-label={title}
            min={range.least}
            max={range.most}
            step={range.step}
            value={shown === '' ? (key.includes('max') ? range.most : range.least) : shown}
            onInput={({ currentTarget }) => choose(currentTarget.value)}
          />
          <NumberInput
            label={`${title}, as a number`}
            min={range.least}
            step={range.step}
            placeholder="no limit"
            value={shown}
            onValue={choose}
          />
        </div>
      )}
    </fieldset>
  );
}

const reasonColumns: readonly Column<WhatIfCounts['dropped'][number]>[] = [
  ['Dropped for', ({ reason }) => words(reason)],
  ['as it is', ({ was }) => count(was), 'number'],
  ['then', ({ was, now }) => (was === now ? count(now) : <b>{count(now)}</b>), 'number'],
];

function Counts({
  counts: { records, kept, dropped, entered, left },
  base,
}: {
  readonly counts: WhatIfCounts;
  readonly base: string;
}) {
  return (
    <>
      <p role="status">
        <b>{count(kept.now)}</b> of {counted(records, 'record')} kept
        {kept.now === kept.was ? '' : `, ${count(kept.was)} as it is`}
      </p>
      <Table label="Reasons" columns={reasonColumns} rows={dropped} />
      <Named title="Enter" records={entered} base={base} />
      <Named title="Leave" records={left} base={base} />
      <p class="note">Balancing, selection and the longest row are decided after the filter, in the run.</p>
    </>
  );
}

interface NamedProps {
  readonly title: string;
  readonly records: WhatIfCounts['entered'];
  readonly base: string;
}

function Named({ title, records: { count: all, first }, base }: NamedProps) {
  if (all === 0) return null;
  return (
    <details>
      <summary>
        {title}: {counted(all, 'record')}
      </summary>
      <ul>
        {first.map((key) => (
          <li key={key}>
            <a href={`${base}/records/${encodeURIComponent(key)}`}>{key}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}

import { useLocation } from 'preact-iso';
import type { RecordChange } from '../../../operations/compareRuns.ts';
import type { CompareAnswer, RecordAnswer } from '../../api.ts';
import { InertText } from '../InertText.tsx';
import { useKeys } from '../keys.ts';
import { Segments } from '../Segments.tsx';
import { Shell } from '../Shell.tsx';
import { sourcePath, useAnswer } from '../useAnswer.ts';
import { count, counted, words } from '../words.ts';

type ChangeKind = keyof CompareAnswer['changes'];

const kinds: readonly (readonly [ChangeKind, string])[] = [
  ['entered', 'Entered'],
  ['left', 'Left'],
  ['other_repeats', 'Other number of rows'],
  ['other_reason', 'Other reason'],
];

export function ComparePage() {
  const { route } = useLocation();
  const query = new URLSearchParams(location.search);
  const [a, b] = [query.get('a') ?? '', query.get('b') ?? ''];
  const asked = `/api/compare?${new URLSearchParams({ a, b })}`;
  const { data: last, error, path } = useAnswer<CompareAnswer>(asked);
  // An answer about other runs must not appear under these names.
  const data = path === asked ? last : undefined;
  const filled = data && kinds.find(([kind]) => data.changes[kind].count > 0);
  const kind = kinds.find(([name]) => name === query.get('kind'))?.[0] ?? filled?.[0] ?? 'entered';
  const changes = data?.changes[kind].first ?? [];
  const at = Math.max(0, Number(query.get('at') ?? 0) || 0);
  const go = (changed: Record<string, string>, replace = false) =>
    route(`/compare?${new URLSearchParams({ a, b, kind, at: '0', ...changed })}`, replace);
  const step = (by: number) => () =>
    go({ at: String(Math.min(changes.length - 1, Math.max(0, at + by))) }, true);
  useKeys({ j: step(1), k: step(-1), n: step(1), p: step(-1), u: () => route('/') });
  return (
    <Shell title={`${a} and ${b}`} trail={[{ name: 'compare' }]} error={error} isWide>
      {data && (
        <>
          <Summary answer={data} />
          <p class="toolbar" role="group" aria-label="Kinds of changes">
            {kinds.map(([name, title]) => (
              <button
                key={name}
                type="button"
                aria-pressed={name === kind}
                onClick={() => go({ kind: name })}
              >
                {title} {count(data.changes[name].count)}
              </button>
            ))}
          </p>
          {changes.length === 0 && <p class="empty">No such changes.</p>}
          <Changes
            changes={changes}
            chosen={at}
            all={data.changes[kind].count}
            onChoose={(to) => go({ at: String(to) })}
          />
          {changes[at] && <Beside a={a} b={b} change={changes[at]} />}
        </>
      )}
    </Shell>
  );
}

function Summary({
  answer: { a, b, up_to, settings, kept_in_both, tasks },
}: {
  readonly answer: CompareAnswer;
}) {
  return (
    <>
      <p>
        {counted(kept_in_both, 'record')} kept in both
        {tasks &&
          `; of tasks ${count(tasks.kept_in_both)}, ${count(tasks.entered)} entered and ${count(tasks.left)} left`}
        .
      </p>
      {[a, b].map(
        (run, at) =>
          up_to[at] !== 'export' && (
            <p key={run} class="note">
              {run} is finished up to {up_to[at]}: what it handed on counts as kept.
            </p>
          ),
      )}
      {settings.length === 0 ? (
        <p class="note">The settings that shape records are the same.</p>
      ) : (
        <ul aria-label="Settings that differ">
          {settings.map(({ name, was, now }) => (
            <li key={name}>
              <code>{name}</code>{' '}
              <InertText
                text={
                  was === now
                    ? `${was}, which holds something else`
                    : `${was || 'not set'} → ${now || 'not set'}`
                }
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface ChangesProps {
  readonly changes: CompareAnswer['changes'][ChangeKind]['first'];
  readonly chosen: number;
  readonly all: number;
  readonly onChoose: (at: number) => void;
}

function Changes({ changes, chosen, all, onChoose }: ChangesProps) {
  if (changes.length === 0) return null;
  return (
    <>
      {all > changes.length && <p class="note">The first {count(changes.length)}.</p>}
      <ol class="changes" tabIndex={0} aria-label="Changed records">
        {changes.map((change, at) => (
          <li key={keyOf(change)} class={at === chosen ? 'chosen' : ''}>
            <button type="button" class="link" aria-current={at === chosen} onClick={() => onChoose(at)}>
              <InertText text={change.question.slice(0, 300) || keyOf(change)} />
            </button>{' '}
            {change.rollout !== undefined && `rollout ${change.rollout + 1}: `}
            {endOf(change.was)} → {endOf(change.now)}
          </li>
        ))}
      </ol>
    </>
  );
}

function keyOf({ task_id, rollout }: RecordChange): string {
  return rollout === undefined ? task_id : `${task_id}#${rollout}`;
}

function endOf(end: RecordChange['was']): string {
  if (!end) return 'not there';
  if (end.kind === 'kept') return end.rows === 1 ? 'kept' : `kept ${end.rows} times`;
  return `${end.kind} by ${end.stage}: ${words(end.reason ?? '')}`;
}

function Beside({ a, b, change }: { readonly a: string; readonly b: string; readonly change: RecordChange }) {
  return (
    <div class="record">
      <Side run={a} recordKey={keyOf(change)} end={change.was} place="a-" />
      <Side run={b} recordKey={keyOf(change)} end={change.now} place="b-" />
    </div>
  );
}

interface SideProps {
  readonly run: string;
  readonly recordKey: string;
  readonly end: RecordChange['was'];
  readonly place: string;
}

function Side({ run, recordKey, end, place }: SideProps) {
  const { route } = useLocation();
  const key = encodeURIComponent(recordKey);
  const { data, error } = useAnswer<RecordAnswer>(end ? `${sourcePath(run)}/records/${key}` : undefined);
  const href = `/runs/${encodeURIComponent(run)}/records/${key}`;
  return (
    <section aria-label={`In ${run}`}>
      <h2>
        {end ? <a href={href}>{run}</a> : run} <small>{endOf(end)}</small>
      </h2>
      {error && <p class="error">{error}</p>}
      {end && data && (
        <Segments record={data} chosen={-1} isUnfolded={false} onEvent={() => route(href)} place={place} />
      )}
    </section>
  );
}

import type { QueuedRecord, ReviewAnswer } from '../api.ts';
import { Facts } from '../pages/Facts.tsx';
import { replaced } from '../pages/filter.ts';
import { InertText } from '../pages/InertText.tsx';
import { NumberInput } from '../pages/NumberInput.tsx';
import { useCopy } from '../pages/RowsPage.tsx';
import { count, counted } from '../pages/words.ts';

interface QueuePanelProps {
  readonly answer: ReviewAnswer;
  /** Place in the queue, from 0. */
  readonly at: number;
  readonly query: URLSearchParams;
  readonly base: string;
  readonly onQuery: (query: URLSearchParams) => void;
  readonly onPlace: (place: number) => void;
}

/** Whether the reviewer has not yet given a verdict on it. */
export function isOpen({ own }: QueuedRecord): boolean {
  return own !== 'accept' && own !== 'reject';
}

/** Which records wait, how far the reviewer is, and the command that takes the reviews over. */
export function QueuePanel({ answer, at, query, base, onQuery, onPlace }: QueuePanelProps) {
  const { queue, found, unknown, command, hasTarget } = answer;
  const done = queue.filter((queued) => !isOpen(queued)).length;
  const [copied, copy] = useCopy(command);
  const choice = new URLSearchParams(query);
  for (const name of ['sample', 'seed']) choice.delete(name);
  return (
    <>
      <p class="toolbar">
        <button type="button" onClick={() => onPlace(at - 1)} disabled={at <= 0}>
          Previous
        </button>
        <button type="button" onClick={() => onPlace(at + 1)} disabled={at + 1 >= queue.length}>
          Next
        </button>
        <SampleChoice query={query} onQuery={onQuery} />
        <a href={`${base}/rows?${choice}`}>Choose others</a>
        <button type="button" onClick={copy}>
          {copied ? 'Copied' : 'Copy command to export'}
        </button>
      </p>
      <p class="found" role="status">
        {queue.length === 0
          ? 'No record with a trajectory is found.'
          : `${count(done)} of ${count(queue.length)} reviewed, now number ${count(at + 1)}${queue.length < found ? `; ${count(found)} are found` : ''}`}
      </p>
      {queue.length > 0 && (
        <progress max={queue.length} value={done} aria-label="Reviewed records of the queue" />
      )}
      <Reviewers answer={answer} />
      <p class="note">
        <code>{command}</code> makes the dataset with the reviews.
        {hasTarget &&
          ' The run has a target: other rows take the place of rejected ones, and further tasks are worked on where those run out.'}
      </p>
      {unknown.length > 0 && (
        <details>
          <summary>{counted(unknown.length, 'review')} of records that this run does not have</summary>
          <ul>
            {unknown.map(({ record_id, author }) => (
              <li key={`${record_id} ${author}`}>
                <InertText text={`${record_id}, by ${author}`} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

interface SampleChoiceProps {
  readonly query: URLSearchParams;
  readonly onQuery: (query: URLSearchParams) => void;
}

/** How many records are drawn; none: all in their order. */
function SampleChoice({ query, onQuery }: SampleChoiceProps) {
  const field = (name: 'sample' | 'seed', label: string, least: number) => (
    <span class="short">
      {label}{' '}
      <NumberInput
        label={label}
        min={least}
        value={query.get(name) ?? ''}
        onValue={(value) => onQuery(replaced(query, name, value))}
      />
    </span>
  );
  return (
    <>
      {field('sample', 'Sample of', 1)}
      {query.has('sample') && field('seed', 'Seed', 0)}
    </>
  );
}

function Reviewers({ answer: { reviewers, rule } }: { readonly answer: ReviewAnswer }) {
  if (reviewers.length === 0) return null;
  return (
    <Facts
      facts={[
        ...reviewers.map(
          ({ author, accepted, rejected }) =>
            [author, `${count(accepted)} accepted, ${count(rejected)} rejected`] as const,
        ),
        ['When they differ', rule === 'majority' ? 'more than half decide' : 'one rejection is enough'],
      ]}
    />
  );
}

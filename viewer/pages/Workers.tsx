import type { WorkersView } from '../../schemas/run/workersView.ts';
import { InertText } from './InertText.tsx';
import { type Column, Table } from './Table.tsx';
import { count, counted, dollars, duration } from './words.ts';

/** Who works on a run of many machines, the limits that they keep together, and how its budget is shared out. */
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

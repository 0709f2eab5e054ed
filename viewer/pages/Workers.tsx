import type { WorkersView } from '../api.ts';
import { InertText } from './InertText.tsx';
import { count, counted, dollars, duration } from './words.ts';

/** Who works on a run of many machines, the limits that they keep together, and how its budget is shared out. */
export function Workers({ view }: { readonly view: WorkersView | undefined }) {
  if (!view) return null;
  return (
    <section class="workers">
      <h2>Workers</h2>
      <p class="note">{view.summary}</p>
      {view.workers.length > 0 && <WorkersTable workers={view.workers} />}
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

function WorkersTable({ workers }: Pick<WorkersView, 'workers'>) {
  const heads = [
    'Tasks',
    'Records',
    'Shards',
    'Leases lost',
    'Calls',
    'A minute',
    'In flight',
    'CPU',
    'Spent',
    'Share',
  ];
  return (
    <section class="scroll" tabIndex={0} aria-label="Workers">
      <table>
        <thead>
          <tr>
            <th scope="col">Worker</th>
            <th scope="col">State</th>
            {heads.map((head) => (
              <th key={head} scope="col" class="number">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {workers.map((one) => (
            <tr key={one.name}>
              <th scope="row">
                <InertText text={one.name} />
              </th>
              <td>{one.state}</td>
              {[
                one.state === 'working' ? `${count(one.tasks_in_hand)} of ${count(one.room)}` : '–',
                count(one.records),
                count(one.shards),
                count(one.lost_leases),
                count(one.calls),
                count(one.calls_a_minute),
                count(one.calls_in_flight),
                duration(one.cpu_ms),
                one.cost_usd > 0 ? dollars(one.cost_usd) : counted(one.tokens, 'token'),
                `${Math.round(100 * one.share)}%`,
              ].map((figure, at) => (
                <td key={heads[at]} class="number">
                  {figure}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

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

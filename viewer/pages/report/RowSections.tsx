import type { Manifest } from '../../../schemas/manifest.ts';
import type { ValueCounts } from '../../../schemas/report.ts';
import { plantedVerdict } from '../../../schemas/synthesis/plantedVerdict.ts';
import type { ReportAnswer } from '../../api.ts';
import { Histogram } from '../chart/Histogram.tsx';
import { InertText } from '../InertText.tsx';
import { type Column, Table } from '../Table.tsx';
import { count, percentOf, words } from '../words.ts';
import { Tags } from './RateSections.tsx';
import { binsOf, medianOf, mostOf, totalOf } from './valueCounts.ts';

type ProfileRows = ReportAnswer['rows'][number];

const rowColumns: readonly Column<ProfileRows>[] = [
  ['Profile', ({ profile }) => <InertText text={profile} />],
  ['Rows', ({ rows }) => count(rows), 'number'],
  ['Tokens', ({ tokens }) => count(totalOf(tokens)), 'number'],
  ['Trained', (own) => percentOf(totalOf(own.trained_tokens), totalOf(own.tokens)), 'number'],
  ['Median tokens', ({ tokens }) => count(medianOf(tokens)), 'number'],
  ['Longest', ({ tokens }) => count(mostOf(tokens)), 'number'],
  ['Median interactions', ({ interactions }) => count(medianOf(interactions)), 'number'],
];

/** The kept rows: how long they are, how much of them is trained, how often agents met tools. */
export function Rows({ rows }: Pick<ReportAnswer, 'rows'>) {
  if (rows.length === 0) return <p class="empty">No row was kept.</p>;
  const all = (figure: 'tokens' | 'trained_tokens' | 'interactions'): ValueCounts =>
    rows.flatMap((own) => own[figure]);
  return (
    <section>
      <h2>Rows</h2>
      <div class="lines">
        <Histogram title="Tokens a row" bins={binsOf(all('tokens'))} of="rows" />
        <Histogram title="Trained tokens a row" bins={binsOf(all('trained_tokens'))} of="rows" />
        <Histogram title="Tool interactions a row" bins={binsOf(all('interactions'))} of="rows" />
      </div>
      <Table label="Rows by profile" columns={rowColumns} rows={rows} />
      <Tags rows={rows} />
    </section>
  );
}

interface RolloutsProps {
  readonly rates: Manifest['rollouts'];
  readonly notices: readonly string[];
}

/** How often the rollouts of a task were right; nothing for a run with one rollout a task. */
export function Rollouts({ rates, notices }: RolloutsProps) {
  if (!rates) return null;
  const shares = rates.tasks_by_right
    .filter(({ scored }) => scored > 0)
    .map(({ right, scored, tasks }) => [Math.round((100 * right) / scored), tasks] as const);
  return (
    <section>
      <h2>Rollouts</h2>
      {notices.map((notice) => (
        <p key={notice}>
          <InertText text={notice} />
        </p>
      ))}
      <p class="note">An unscored rollout is in no rate.</p>
      <div class="lines">
        <Histogram
          title="Right rollouts of a task, in % of those that were judged"
          bins={binsOf(shares)}
          of="tasks"
        />
      </div>
    </section>
  );
}

type PlantedRow = NonNullable<ReportAnswer['planted']>[number];

function isRight({ as_expected, planted, false_finds }: PlantedRow): boolean {
  return as_expected === planted && false_finds === 0;
}

const plantedColumns: readonly Column<PlantedRow>[] = [
  ['Flaw', ({ flaw }) => words(flaw)],
  ['Profile', ({ profile }) => profile],
  ['Expected', ({ expected }) => words(expected)],
  ['Planted', ({ planted }) => count(planted), 'number'],
  ['As expected', ({ as_expected }) => count(as_expected), 'number'],
  ['False finds', ({ false_finds }) => count(false_finds), 'number'],
  ['Verdict', (row) => (isRight(row) ? '✓ right' : <b class="bad">✗ wrong</b>)],
];

const faultColumns: readonly Column<PlantedRow>[] = [
  ['Planted fault', ({ flaw }) => words(flaw)],
  ['Expected', ({ expected }) => words(expected)],
  ['Planted', ({ planted }) => count(planted), 'number'],
  ['Found', ({ as_expected }) => count(as_expected), 'number'],
  ['Not planted', ({ false_finds }) => count(false_finds), 'number'],
];

/** Faults that the embedded model of a synthesis planted; what was dropped beside them may have the same faults by nature. */
function Faults({ planted }: { readonly planted: readonly PlantedRow[] }) {
  const { missed, text } = plantedVerdict(planted);
  return (
    <>
      <p class={missed === 0 ? '' : 'bad'}>{sentence(text)}</p>
      <Table label="Planted against found" columns={faultColumns} rows={planted} />
    </>
  );
}

/** What became of planted faults, and how far the checker can be trusted. */
export function PlantedFaults({ planted, checker }: Pick<ReportAnswer, 'planted' | 'checker'>) {
  if (!planted && !checker) return null;
  return (
    <section>
      <h2>Planted against found</h2>
      {checker && <p>{sentence(checker)}</p>}
      {planted && <Faults planted={planted} />}
    </section>
  );
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

/** Planted flaws against what became of them; nothing where none could be planted. */
export function Planted({ planted }: Pick<ReportAnswer, 'planted'>) {
  if (!planted) return null;
  const wrong = planted.filter((row) => !isRight(row)).length;
  return (
    <section>
      <h2>Planted against found</h2>
      <p class={wrong === 0 ? '' : 'bad'}>
        {wrong === 0
          ? 'Everything planted ended as it should, and nothing else was taken for it.'
          : `${count(wrong)} of ${count(planted.length)} lines did not end as they should.`}
      </p>
      <Table label="Planted against found" columns={plantedColumns} rows={planted} />
    </section>
  );
}

/** Groups shown of one dimension; a data set may have thousands of sources. */
const MAX_GROUPS = 30;

type Dimension = NonNullable<ReportAnswer['balance']>[number];

/** How many records of each group there were before and after balancing; nothing for a run that does not balance. */
export function Balance({ table }: { readonly table: ReportAnswer['balance'] }) {
  if (!table) return null;
  return (
    <section>
      <h2>Balance</h2>
      {table.map((dimension) => (
        <div key={dimension.dimension}>
          <Table
            label={`Balance by ${dimension.dimension}`}
            columns={balanceColumns(dimension)}
            rows={dimension.groups.slice(0, MAX_GROUPS)}
          />
          {dimension.groups.length > MAX_GROUPS && (
            <p class="note">and {count(dimension.groups.length - MAX_GROUPS)} more groups</p>
          )}
        </div>
      ))}
    </section>
  );
}

function balanceColumns({ dimension, groups }: Dimension): readonly Column<Dimension['groups'][number]>[] {
  const share = (figure: 'before' | 'after') => (group: Dimension['groups'][number]) =>
    `${count(group[figure])} (${percentOf(
      group[figure],
      groups.reduce((sum, own) => sum + own[figure], 0),
    )})`;
  return [
    [words(dimension), ({ group }) => <InertText text={group} />],
    ['Before', share('before'), 'number'],
    ['After', share('after'), 'number'],
    ['Rows', ({ rows }) => count(rows), 'number'],
    ['Weight', ({ weight }) => weight.toFixed(1), 'number'],
  ];
}

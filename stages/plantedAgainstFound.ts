import type { FiltersConfig } from '../schemas/config/filters.ts';
import type { DropReason } from '../schemas/dropReasons.ts';
import type { PlantedRow } from '../schemas/report.ts';
import { type PlantedFlaw, type PlantedRecord, plantedFlawSchema } from '../schemas/teacherScript.ts';

type Flaw = PlantedFlaw | 'clean';

/** What decides how a flaw must end: the run's filters, as far as they are known. */
type DecidingFilters = Partial<FiltersConfig> & {
  /** Whether a model judged if trajectories follow their instructions. */
  readonly judges_instructions?: boolean;
};

/** A cap of so many tokens leaves a rambling trajectory out, whatever else it holds. */
const RAMBLING_TOKENS = 9_000;

/**
 * What must become of a task with a flaw under the usual filters. Flaws that end as `kept` are those that the teacher
 * recovers from, or that only settings which are off by default look at.
 */
const usualEnd: Readonly<Record<Flaw, string>> = {
  clean: 'kept',
  wrong_answer: 'dropped: wrong_answer',
  redundant_query: 'dropped: redundant_tool_input',
  too_few_interactions: 'dropped: too_few_interactions',
  missing_reflection: 'kept',
  corrected_double_check: 'kept',
  malformed_json: 'failed: malformed_answer',
  malformed_json_once: 'kept',
  refusal: 'failed: model_refused',
  tag_in_text: 'dropped: invalid_grammar',
  hanging_code: 'kept',
  near_redundant_query: 'dropped: redundant_tool_input',
  secret_in_observation: 'kept',
  foreign_language: 'kept',
  rambling: 'kept',
  repeated_thought: 'kept',
  talk_to_grader: 'kept',
  duplicate_question: 'dropped: duplicate_question',
};

/**
 * What must become of a task with a flaw. Where only a share of the trajectories without reflection stays, none is
 * certain to go.
 */
function expectedEnd(flaw: Flaw, profile: string, filters: DecidingFilters): string {
  const { reflection, secrets, tool_input_similarity: similarity, max_redundant_tool_inputs: most } = filters;
  if (flaw === 'missing_reflection' && (reflection?.rate === 0 || reflection?.drop_for.includes(profile)))
    return 'dropped: no_reflection';
  if (flaw === 'secret_in_observation' && secrets?.action === 'drop') return 'dropped: secret_in_text';
  const isRepeat = flaw === 'redundant_query' || flaw === 'near_redundant_query';
  if (isRepeat && (most === null || (most ?? 0) > 0)) return 'kept';
  if (flaw === 'near_redundant_query' && similarity === null) return 'kept';
  return offByDefault(flaw, filters) ?? usualEnd[flaw];
}

/** The end of a flaw that a filter looks at which is off by default; undefined where it is off. */
function offByDefault(flaw: Flaw, filters: DecidingFilters): string | undefined {
  const { languages, length, lint, judges_instructions, instruction_failures } = filters;
  const asks = (rule: string) =>
    lint?.some((name) => name === rule || name === 'warning' || name === 'all') === true;
  if (flaw === 'foreign_language' && languages?.includes('fr') === false) return 'dropped: unwanted_language';
  if (flaw === 'rambling' && (length?.max_tokens ?? Infinity) <= RAMBLING_TOKENS)
    return 'dropped: length_out_of_range';
  if (flaw === 'repeated_thought' && asks('duplicate_block')) return 'dropped: lint_finding';
  if (flaw === 'talk_to_grader' && judges_instructions === true && instruction_failures !== 'keep')
    return 'dropped: instruction_failure';
  return undefined;
}

const flawOrder: readonly Flaw[] = ['clean', ...plantedFlawSchema.options];

/** A task with what was planted in it and how it ended; null when no row of the task files ended. */
interface Match {
  readonly profile: string;
  readonly flaw: Flaw;
  readonly end: string | null;
}

/**
 * Compares what an answer-key or scripted teacher planted with what became of the tasks, one row a flaw and profile.
 * Records and ends are matched by profile and question, as often as each occurs; of several tasks with one question
 * a planted duplicate is the one that was dropped as such. An end without a record counts as clean. Tasks that the
 * teacher was never asked are left out, and what the configuration left out without a flaw counts as kept.
 *
 * @param filters those that the run was made with; the usual ones where absent
 */
export function plantedAgainstFound(
  planted: Iterable<PlantedRecord>,
  ends: Iterable<TaskEnd>,
  filters: DecidingFilters = {},
): PlantedRow[] {
  const plantedByQuestion = Map.groupBy(planted, questionOf);
  const endsByQuestion = Map.groupBy(ends, questionOf);
  const questions = new Set([...plantedByQuestion.keys(), ...endsByQuestion.keys()]);
  const matches = [...questions].flatMap((question) =>
    matchQuestion(plantedByQuestion.get(question) ?? [], endsByQuestion.get(question) ?? [], filters),
  );
  const profiles = [...new Set(matches.map((match) => match.profile))];
  return flawOrder
    .flatMap((flaw) => profiles.map((profile) => countRow(flaw, profile, matches, filters)))
    .filter((row) => row.planted > 0 || row.false_finds > 0);
}

function questionOf({ profile, question }: { profile: string; question: string }): string {
  return `${profile}\n${question}`;
}

/** Pairs the records and ends of one question: duplicates with duplicates first, then in order. */
function matchQuestion(
  planted: readonly PlantedRecord[],
  taskEnds: readonly TaskEnd[],
  filters: DecidingFilters,
): Match[] {
  const duplicateLast = <T>(list: readonly T[], isDuplicate: (item: T) => boolean) => [
    ...list.filter((item) => !isDuplicate(item)),
    ...list.filter(isDuplicate),
  ];
  const records = duplicateLast(planted, (record) => record.flaw === 'duplicate_question');
  const ends = duplicateLast(taskEnds, ({ cause }) => cause === 'duplicate_question');
  const length = Math.max(records.length, ends.length);
  return Array.from({ length }, (_, at) => at).flatMap((at): Match[] => {
    const record = records[at];
    const taskEnd = ends[at];
    const end = taskEnd ? endOf(taskEnd, record?.flaw ?? 'clean', filters) : null;
    if (end === undefined) return [];
    return [{ profile: (record ?? taskEnd)!.profile, flaw: record?.flaw ?? 'clean', end }];
  });
}

/** A choice that leaves records out is a find where it was the flaw's to be left out by it. */
function endOf(taskEnd: TaskEnd, flaw: Flaw, filters: DecidingFilters): string | undefined {
  const expected = expectedEnd(flaw, taskEnd.profile, filters);
  return expected === `${taskEnd.end}: ${taskEnd.cause}`
    ? expected
    : endAsPlanted(taskEnd, filters.reflection);
}

function countRow(
  flaw: Flaw,
  profile: string,
  matches: readonly Match[],
  filters: DecidingFilters,
): PlantedRow {
  const expected = expectedEnd(flaw, profile, filters);
  const inProfile = matches.filter((match) => match.profile === profile);
  const planted = inProfile.filter((match) => match.flaw === flaw);
  const others = inProfile.filter(
    (match) => match.end === expected && expectedEnd(match.flaw, profile, filters) !== expected,
  );
  // Several flaws end alike, as kept for instance: a task that ended so without cause is a false find of one alone.
  const isFirst = flawOrder.find((other) => expectedEnd(other, profile, filters) === expected) === flaw;
  return {
    flaw,
    profile,
    expected,
    planted: planted.length,
    as_expected: planted.filter((match) => match.end === expected).length,
    false_finds: isFirst ? others.length : 0,
  };
}

/** How one row of the task files ended: kept in the dataset, or dropped or failed for a cause. */
export interface TaskEnd {
  readonly question: string;
  readonly profile: string;
  readonly end: 'kept' | 'dropped' | 'failed';
  /** Drop reason or failure cause; null when kept. */
  readonly cause: string | null;
}

/** The cause of a task that was not begun, since the run's target was reached without it. */
export const NOT_BEGUN = 'not_begun';

/** Questions that were left out before the teacher was asked: nothing was planted in them. */
const neverAsked: readonly string[] = [
  'near_duplicate_question',
  'contaminated',
  NOT_BEGUN,
] satisfies readonly (DropReason | typeof NOT_BEGUN)[];

/** Reasons of a choice among trajectories that no rule found a flaw in: the configuration asked for fewer. */
const leftOut: readonly string[] = [
  'too_easy',
  'too_hard',
  'length_out_of_range',
  'unwanted_language',
  'duplicate_trajectory',
  'not_best_of_task',
  'over_quota',
  'over_target',
  'too_long',
  'nothing_trained',
] satisfies readonly DropReason[];

/**
 * How a task ended, for what was planted in it: `kept`, `dropped: CAUSE` or `failed: CAUSE`. What no rule found a flaw
 * in and the configuration left out counts as kept. Undefined for a task that the teacher was never asked.
 */
function endAsPlanted(
  { end, cause, profile }: TaskEnd,
  reflection?: FiltersConfig['reflection'],
): string | undefined {
  if (end === 'kept') return end;
  if (end === 'dropped' && cause !== null) {
    if (neverAsked.includes(cause)) return undefined;
    if (leftOut.includes(cause)) return 'kept';
    if (cause === 'no_reflection' && isThinned(profile, reflection)) return 'kept';
  }
  return `${end}: ${cause}`;
}

/** Whether a share of the trajectories without reflection stays, so that none is certain to go. */
function isThinned(profile: string, reflection: FiltersConfig['reflection']): boolean {
  return reflection !== undefined && reflection.rate > 0 && !reflection.drop_for.includes(profile);
}

import type { PlantedRow } from '../../schemas/report.ts';
import { type PlantedFlaw, type PlantedRecord, plantedFlawSchema } from '../../schemas/teacherScript.ts';

/** How one row of the task files ended: kept in the dataset, or dropped or failed for a cause. */
export interface TaskFate {
  readonly question: string;
  readonly profile: string;
  readonly end: 'kept' | 'dropped' | 'failed';
  /** Drop reason or failure cause; null when kept. */
  readonly cause: string | null;
}

type Flaw = PlantedFlaw | 'clean';

/**
 * What must become of a task with a flaw. Flaws that end as `kept` are those that the teacher recovers from or that
 * no filter of this version looks at.
 */
const expectedEnd: Readonly<Record<Flaw, string>> = {
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
  duplicate_question: 'dropped: duplicate_question',
};

const flawOrder: readonly Flaw[] = ['clean', ...plantedFlawSchema.options];

/** A task with what was planted in it and how it ended; null when no row of the task files ended. */
interface Match {
  readonly profile: string;
  readonly flaw: Flaw;
  readonly end: string | null;
}

/**
 * Compares what an answer-key or scripted teacher planted with what became of the tasks, one row a flaw and profile.
 * Records and fates are matched by profile and question, as often as each occurs; of several tasks with one question
 * a planted duplicate is the one that was dropped as such. A fate without a record counts as clean.
 */
export function plantedAgainstFound(
  planted: Iterable<PlantedRecord>,
  fates: Iterable<TaskFate>,
): PlantedRow[] {
  const plantedByQuestion = Map.groupBy(planted, questionOf);
  const fatesByQuestion = Map.groupBy(fates, questionOf);
  const questions = new Set([...plantedByQuestion.keys(), ...fatesByQuestion.keys()]);
  const matches = [...questions].flatMap((question) =>
    matchQuestion(plantedByQuestion.get(question) ?? [], fatesByQuestion.get(question) ?? []),
  );
  const profiles = [...new Set(matches.map((match) => match.profile))];
  return flawOrder
    .flatMap((flaw) => profiles.map((profile) => countRow(flaw, profile, matches)))
    .filter((row) => row.planted > 0 || row.false_finds > 0);
}

function questionOf({ profile, question }: { profile: string; question: string }): string {
  return `${profile}\n${question}`;
}

/** Pairs the records and fates of one question: duplicates with duplicates first, then in order. */
function matchQuestion(planted: readonly PlantedRecord[], fates: readonly TaskFate[]): Match[] {
  const duplicateLast = <T>(list: readonly T[], isDuplicate: (item: T) => boolean) => [
    ...list.filter((item) => !isDuplicate(item)),
    ...list.filter(isDuplicate),
  ];
  const records = duplicateLast(planted, (record) => record.flaw === 'duplicate_question');
  const ends = duplicateLast(fates, (fate) => fate.cause === 'duplicate_question');
  const length = Math.max(records.length, ends.length);
  return Array.from({ length }, (_, at) => {
    const record = records[at];
    const fate = ends[at];
    return {
      profile: (record ?? fate)!.profile,
      flaw: record?.flaw ?? 'clean',
      end: fate ? endOf(fate) : null,
    };
  });
}

function endOf({ end, cause }: TaskFate): string {
  return end === 'kept' ? end : `${end}: ${cause}`;
}

function countRow(flaw: Flaw, profile: string, matches: readonly Match[]): PlantedRow {
  const expected = expectedEnd[flaw];
  const inProfile = matches.filter((match) => match.profile === profile);
  const planted = inProfile.filter((match) => match.flaw === flaw);
  const others = inProfile.filter((match) => match.end === expected && expectedEnd[match.flaw] !== expected);
  // Several flaws end as kept: a bad task that was kept is a false find of `clean` alone.
  const falseFinds = expected === 'kept' && flaw !== 'clean' ? 0 : others.length;
  return {
    flaw,
    profile,
    expected,
    planted: planted.length,
    as_expected: planted.filter((match) => match.end === expected).length,
    false_finds: falseFinds,
  };
}

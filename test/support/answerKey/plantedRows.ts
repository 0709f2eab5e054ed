import { readFileSync } from 'node:fs';
import type { StageName } from '../../../contract/stageTable.ts';
import { readRunFile, stagesOfRun } from '../../../pipeline/run/runFile.ts';
import { stageRecords } from '../../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../../pipeline/run/stageJournals.ts';
import type { LedgerEntry } from '../../../schemas/outcome.ts';
import { sampleSchema } from '../../../schemas/sample.ts';
import { taskSchema } from '../../../schemas/task.ts';
import { type PlantedFlaw, type PlantedRecord, plantedRecordSchema } from './plantedFlaws.ts';

/** Planted flaws of one kind in a profile, against the ends of their tasks. */
export interface PlantedRow {
  /** The flaw, or `clean`. */
  readonly flaw: string;
  readonly profile: string;
  /** Right end of such a task, for instance `dropped: wrong_answer`. */
  readonly expected: string;
  readonly planted: number;
  readonly as_expected: number;
  /** Tasks with this end and another flaw, or none. */
  readonly false_finds: number;
}

type Flaw = PlantedFlaw | 'clean';

/** Right ends with the default filters. Flaws that are kept are ones that the teacher recovers from, or no filter looks for. */
const endOfFlaw: Readonly<Record<Flaw, string>> = {
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
const flaws = Object.keys(endOfFlaw) as Flaw[];

interface TaskEnd {
  readonly question: string;
  readonly profile: string;
  /** `kept` in the dataset, or `dropped: CAUSE` or `failed: CAUSE`. */
  readonly end: string;
}

/** Flaws in a script against the ends of the tasks of a run with one rollout a task that played it. */
export async function plantedRows(runFolder: string, scriptFile: string): Promise<PlantedRow[]> {
  const ends: TaskEnd[] = [];
  for await (const end of taskEnds(runFolder)) ends.push(end);
  const asked = new Set(ends.map(questionOf));
  const lines = readFileSync(scriptFile, 'utf8').trimEnd().split('\n');
  const records = lines.map((line) => plantedRecordSchema.parse(JSON.parse(line)));
  return plantedAgainstFound(
    records.filter((record) => asked.has(questionOf(record))),
    ends,
  );
}

/**
 * One row a flaw and profile. Records and ends are matched by profile and question, as often as each occurs; of several
 * tasks with one question the planted duplicate is the one that was dropped as such. An end without a record counts as
 * clean.
 */
export function plantedAgainstFound(
  planted: readonly PlantedRecord[],
  ends: readonly TaskEnd[],
): PlantedRow[] {
  const plantedOf = Map.groupBy(planted, questionOf);
  const endsOf = Map.groupBy(ends, questionOf);
  const matches = [...new Set([...plantedOf.keys(), ...endsOf.keys()])].flatMap((question) => {
    const records = duplicatesLast(plantedOf.get(question), ({ flaw }) => flaw === 'duplicate_question');
    const own = duplicatesLast(endsOf.get(question), ({ end }) => end === 'dropped: duplicate_question');
    return Array.from({ length: Math.max(records.length, own.length) }, (_, at) => ({
      profile: (records[at] ?? own[at])!.profile,
      flaw: (records[at]?.flaw ?? 'clean') as Flaw,
      end: own[at]?.end,
    }));
  });
  const profiles = new Set(matches.map(({ profile }) => profile));
  const rows = flaws.flatMap((flaw) =>
    [...profiles].map((profile): PlantedRow => {
      const expected = endOfFlaw[flaw];
      const ofProfile = matches.filter((match) => match.profile === profile);
      const own = ofProfile.filter((match) => match.flaw === flaw);
      const endedSo = ofProfile.filter(({ end }) => end === expected);
      // Several flaws end alike: a task that ended so without cause is a false find of the first alone.
      const isFirst = flaws.find((one) => endOfFlaw[one] === expected) === flaw;
      return {
        ...{ flaw, profile, expected, planted: own.length },
        as_expected: own.filter(({ end }) => end === expected).length,
        false_finds: isFirst ? endedSo.filter((match) => endOfFlaw[match.flaw] !== expected).length : 0,
      };
    }),
  );
  return rows.filter((row) => row.planted > 0 || row.false_finds > 0);
}

function questionOf({ profile, question }: { profile: string; question: string }): string {
  return `${profile}\n${question}`;
}

function duplicatesLast<T>(list: readonly T[] = [], isDuplicate: (item: T) => boolean): T[] {
  return list.toSorted((a, b) => Number(isDuplicate(a)) - Number(isDuplicate(b)));
}

/** The ends of all tasks of a run, duplicates included, in the order of the task files. */
async function* taskEnds(runFolder: string): AsyncGenerator<TaskEnd> {
  // Duplicates have one id: the stage after the source tells them apart by their places, later ones meet one of each.
  const [source, unique, ...later] = stagesOfRun((await readRunFile(runFolder))!);
  const byPlace = new Map<number, string>();
  for await (const entry of readLedger(runFolder, unique!)) byPlace.set(entry.index, endOf(entry));
  const byTask = await endsByTask(runFolder, later);
  for await (const { index, record } of stageRecords(runFolder, source!, taskSchema)) {
    const { question, profile, id } = record;
    const end = byPlace.get(index) ?? byTask.get(id);
    if (end) yield { question, profile, end };
  }
}

async function endsByTask(runFolder: string, stages: readonly StageName[]): Promise<Map<string, string>> {
  const ends = new Map<string, string>();
  for (const stage of stages)
    for await (const entry of readLedger(runFolder, stage)) ends.set(entry.task_id, endOf(entry));
  for await (const { record } of stageRecords(runFolder, stages.at(-1)!, sampleSchema))
    ends.set(record.task_id, 'kept');
  return ends;
}

function endOf(entry: LedgerEntry): string {
  return entry.kind === 'drop' ? `dropped: ${entry.reason}` : `failed: ${entry.failure.cause}`;
}

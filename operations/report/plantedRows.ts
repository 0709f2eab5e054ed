import { readFile } from 'node:fs/promises';
import { ifThere } from '../../base/files/diskError.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { stagesOfRun } from '../../pipeline/run/runFile.ts';
import { isStageDone, plantedPath } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { readTargetFile } from '../../pipeline/run/wholeFiles.ts';
import { type FiltersConfig, filtersConfigSchema } from '../../schemas/config/filters.ts';
import { judgeConfigSchema } from '../../schemas/config/judge.ts';
import { mostRollouts, rolloutPlan } from '../../schemas/config/rollouts.ts';
import { teacherConfigSchema } from '../../schemas/config/teacher.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { PlantedRow } from '../../schemas/report.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { sampleSchema } from '../../schemas/sample.ts';
import { taskSchema } from '../../schemas/task.ts';
import { type PlantedFlaw, type PlantedRecord, plantedRecordSchema } from '../../schemas/teacherScript.ts';

type Flaw = PlantedFlaw | 'clean';

/** What decides how a flaw must end: the run's filters, as far as they are known. */
type DecidingFilters = Partial<FiltersConfig> & {
  /** Whether a model judged if trajectories follow their instructions. */
  readonly judges_instructions?: boolean;
};

/** The end of a task with a flaw, where filters look for it; `kept` where they don't. */
interface FlawEnd {
  readonly end: string;
  readonly isFound?: (filters: DecidingFilters, profile: string) => boolean;
}

/** A cap of so many tokens leaves a rambling trajectory out, whatever else it holds. */
const RAMBLING_TOKENS = 9_000;

const dropsRepeats = ({ max_redundant_tool_inputs: most = 0 }: DecidingFilters) => most === 0;
const lints = (rule: string, { lint = [] }: DecidingFilters) =>
  lint.some((name) => name === rule || name === 'warning' || name === 'all');
const kept: FlawEnd = { end: 'kept' };

/** Flaws in the order of the table. Those that are kept are ones that the teacher recovers from. */
const flawEnds: Readonly<Record<Flaw, FlawEnd>> = {
  clean: kept,
  wrong_answer: { end: 'dropped: wrong_answer' },
  redundant_query: { end: 'dropped: redundant_tool_input', isFound: dropsRepeats },
  too_few_interactions: { end: 'dropped: too_few_interactions' },
  missing_reflection: {
    end: 'dropped: no_reflection',
    // Where a share of those without reflection stays, none is certain to go.
    isFound: ({ reflection: of }, profile) => of?.rate === 0 || of?.drop_for.includes(profile) === true,
  },
  corrected_double_check: kept,
  malformed_json: { end: 'failed: malformed_answer' },
  malformed_json_once: kept,
  refusal: { end: 'failed: model_refused' },
  tag_in_text: { end: 'dropped: invalid_grammar' },
  hanging_code: kept,
  near_redundant_query: {
    end: 'dropped: redundant_tool_input',
    isFound: (filters) => dropsRepeats(filters) && filters.tool_input_similarity !== null,
  },
  secret_in_observation: {
    end: 'dropped: secret_in_text',
    isFound: ({ secrets }) => secrets?.action === 'drop',
  },
  foreign_language: {
    end: 'dropped: unwanted_language',
    isFound: ({ languages }) => languages?.includes('fr') === false,
  },
  rambling: {
    end: 'dropped: length_out_of_range',
    isFound: ({ length }) => (length?.max_tokens ?? Number.POSITIVE_INFINITY) <= RAMBLING_TOKENS,
  },
  repeated_thought: {
    end: 'dropped: lint_finding',
    isFound: (filters) => lints('duplicate_block', filters),
  },
  talk_to_grader: {
    end: 'dropped: instruction_failure',
    isFound: ({ judges_instructions, instruction_failures }) =>
      judges_instructions === true && instruction_failures !== 'keep',
  },
  duplicate_question: { end: 'dropped: duplicate_question' },
};
const flaws = Object.keys(flawEnds) as Flaw[];

function expectedEnd(flaw: Flaw, profile: string, filters: DecidingFilters): string {
  const { end, isFound } = flawEnds[flaw];
  return isFound?.(filters, profile) === false ? 'kept' : end;
}

interface TaskEnd {
  readonly question: string;
  readonly profile: string;
  /** `kept` in the dataset, or `dropped: CAUSE` or `failed: CAUSE`. */
  readonly end: string;
}

/** The end of a task that was not begun, since the run's target was reached without it. */
const NOT_BEGUN = 'dropped: not_begun';

/** Questions that were left out before the teacher was asked: nothing was planted in them. */
const neverAsked = ['dropped: near_duplicate_question', 'dropped: contaminated', NOT_BEGUN];

/**
 * What the embedded teacher of a run planted against what became of the tasks. Null where none played, also for a
 * variant, before every task has ended, and where tasks had several rollouts, each with flaws of its own.
 */
export async function plantedRows(runFolder: string, run: RunFile): Promise<PlantedRow[] | null> {
  const teacher = teacherConfigSchema.safeParse(run.config.teacher).data;
  if (run.variant_of || (teacher && mostRollouts(rolloutPlan(teacher)) > 1)) return null;
  const text = await ifThere(readFile(plantedPath(runFolder), 'utf8'));
  if (text === undefined || !(await isStageDone(runFolder, 'export'))) return null;
  const lines = text.split('\n').filter((line) => line !== '');
  const planted = lines.map((line) => plantedRecordSchema.parse(JSON.parse(line)));
  const unknown = (await readTargetFile(runFolder)) ? NOT_BEGUN : undefined;
  const ends: TaskEnd[] = [];
  for await (const end of taskEnds(runFolder, run, unknown)) ends.push(end);
  const filters = filtersConfigSchema.safeParse(run.config.filters).data;
  const judges_instructions = judgeConfigSchema.safeParse(run.config.judge).data?.instructions !== undefined;
  return plantedAgainstFound(planted, ends, { ...filters, judges_instructions });
}

/**
 * One row a flaw and profile. Records and ends are matched by profile and question, as often as each occurs; of several
 * tasks with one question a planted duplicate is the one that was dropped as such. An end without a record counts as
 * clean, and what was left out as no flaw is counts as kept.
 */
export function plantedAgainstFound(
  planted: readonly PlantedRecord[],
  ends: readonly TaskEnd[],
  filters: DecidingFilters = {},
): PlantedRow[] {
  const plantedOf = Map.groupBy(planted, questionOf);
  const endsOf = Map.groupBy(ends, questionOf);
  const matches = [...new Set([...plantedOf.keys(), ...endsOf.keys()])].flatMap((question) => {
    const records = duplicatesLast(plantedOf.get(question), ({ flaw }) => flaw === 'duplicate_question');
    const own = duplicatesLast(endsOf.get(question), ({ end }) => end === 'dropped: duplicate_question');
    return Array.from({ length: Math.max(records.length, own.length) }, (_, at) => {
      const { profile } = (records[at] ?? own[at])!;
      const end = own[at]?.end;
      const flaw: Flaw = records[at]?.flaw ?? 'clean';
      return { profile, flaw, end: end && endAsPlanted(end, profile, filters) };
    }).filter(({ end }) => end === undefined || !neverAsked.includes(end));
  });
  const profiles = new Set(matches.map(({ profile }) => profile));
  const rows = flaws.flatMap((flaw) =>
    [...profiles].map((profile): PlantedRow => {
      const expectedOf = (one: Flaw) => expectedEnd(one, profile, filters);
      const expected = expectedOf(flaw);
      const ofProfile = matches.filter((match) => match.profile === profile);
      const own = ofProfile.filter((match) => match.flaw === flaw);
      const endedSo = ofProfile.filter(({ end }) => end === expected);
      // Several flaws end alike: a task that ended so without cause is a false find of the first alone.
      const isFirst = flaws.find((one) => expectedOf(one) === expected) === flaw;
      return {
        ...{ flaw, profile, expected, planted: own.length },
        as_expected: own.filter(({ end }) => end === expected).length,
        false_finds: isFirst ? endedSo.filter((match) => expectedOf(match.flaw) !== expected).length : 0,
      };
    }),
  );
  return rows.filter((row) => row.planted > 0 || row.false_finds > 0);
}

/** What a run's settings left out, and is the end of no flaw that they look for, counts as kept. */
function endAsPlanted(end: string, profile: string, filters: DecidingFilters): string {
  const isOfFlaw = flaws.some((flaw) => expectedEnd(flaw, profile, filters) === end);
  return isOfFlaw || !end.startsWith('dropped: ') || neverAsked.includes(end) ? end : 'kept';
}

function questionOf({ profile, question }: { profile: string; question: string }): string {
  return `${profile}\n${question}`;
}

function duplicatesLast<T>(list: readonly T[] = [], isDuplicate: (item: T) => boolean): T[] {
  return list.toSorted((a, b) => Number(isDuplicate(a)) - Number(isDuplicate(b)));
}

/**
 * How every task that has ended did, duplicates included, in the order of the task files. Holds one entry a task.
 *
 * @param unknown - How tasks did of which nothing is known; absent: they have not ended.
 */
async function* taskEnds(
  runFolder: string,
  run: RunFile,
  unknown: string | undefined,
): AsyncGenerator<TaskEnd> {
  // Duplicates have one id: the stage after the source tells them apart by their places, later ones meet one of each.
  const [source, unique, ...later] = stagesOfRun(run);
  const byPlace = new Map<number, string>();
  for await (const entry of readLedger(runFolder, unique!)) byPlace.set(entry.index, endOf(entry));
  const byTask = await endsByTask(runFolder, later);
  for await (const { index, record } of stageRecords(runFolder, source!, taskSchema)) {
    const { question, profile, id } = record;
    const end = byPlace.get(index) ?? byTask.get(id) ?? unknown;
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

import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { isProblem } from '../../schemas/rows/datasetRow.ts';
import { withTokenText } from '../../schemas/rows/tokens.ts';
import { readTrajectory } from '../../schemas/rows/trajectory.ts';
import { type Task, taskId } from '../../schemas/task.ts';
import { PLAYED_BY_ONE_MODEL, type Trace, taskRollout, traceId } from '../../schemas/trace.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { ImportedRecord, ImportRow } from './createImportSource.ts';
import { type ImportFormat, type ReadRun, runReaders } from './formats.ts';
import { importDatasetRow, type RowContext, readOneAnswer } from './importDatasetRow.ts';
import { malformed, refusal } from './rowRefusal.ts';
import type { ForeignRun, Reading } from './runs/foreignRun.ts';
import { ImportRecorder } from './runs/importRecorder.ts';
import type { ToolMap } from './runs/toolTags.ts';
import { TurnReader } from './runs/turnReader.ts';

export interface TraceImportOptions extends Reading {
  readonly format: Exclude<ImportFormat, 'afm'>;
  readonly profileOf: (name: string) => Profile | undefined;
  /** `--profile`: the profile of every row; where absent, rows say it themselves. */
  readonly profile?: string;
  readonly tools: ToolMap;
  /** The profile that was built for rows that don't say theirs, and its tags by tools' names. */
  readonly built?: { readonly name: string; readonly tools: ToolMap };
}

/** Makes traces of other systems' traces. */
export function importTraceRow(
  options: TraceImportOptions,
): (...row: Parameters<ImportRow<Trace>>) => ImportedRecord<Trace> {
  const readRun: ReadRun = runReaders[options.format];
  return (value, place) => {
    const run = readRun(value, options);
    return { record: traceOfRun(run, { ...options, ...place }), remarks: run.remarks };
  };
}

/** Makes trajectories of dataset rows, of whatever layout. */
export function importTrajectoryRow(
  context: RowContext & { readonly decode: (ids: readonly number[]) => Promise<string | undefined> },
): ImportRow<Trajectory> {
  return async (value, { file }) => {
    const row = await withTokenText(readOneAnswer(value), context.decode);
    if (isProblem(row)) throw malformed({ ...row, message: row.problem });
    if (row.format === 'trajectory') return { record: recordOf(value as JsonObject, file), remarks: [] };
    const { trajectory, remarks } = importDatasetRow(row, context);
    return { record: { ...trajectory, source: file }, remarks };
  };
}

function recordOf(value: JsonObject, file: string): Trajectory {
  const read = readTrajectory(value);
  if ('problem' in read) throw malformed({ ...read, message: read.problem });
  return { source: file, ...read };
}

/**
 * Another system's run as a trace. Whether its profile's grammar can say it is for conversion to find out.
 *
 * @throws RowRefusal for what a trace has no place for
 */
export function traceOfRun(run: ForeignRun, context: ImportContext): Trace {
  const profile = profileOfRun(run, context);
  const task = taskOfRun(run, profile, context);
  const { rollout, repairs, member } = run.own ?? {};
  const of = taskRollout({ task_id: task.id, rollout });
  const recorder = new ImportRecorder(of);
  const { tools, built } = context;
  const isBuilt = built?.name === profile.name;
  const reader = new TurnReader(profile, isBuilt ? new Map([...tools, ...built.tools]) : tools, recorder);
  reader.read(run.turns);
  const { events } = recorder;
  if (events.length === 0) throw refusal('no_agent', '');
  const { file, row, format } = context;
  const remarks = run.remarks.length > 0 ? { remarks: run.remarks } : {};
  return {
    id: traceId(of, events),
    ...of,
    ...(repairs !== undefined && { repairs }),
    task,
    profile: profile.name,
    teacher: importedTeacher(run.own?.teacher ?? run.teacher),
    ...(member && { member }),
    final_answer: reader.finalAnswer ?? run.own?.final_answer ?? '',
    events,
    messages: {},
    totals: recorder.totals(),
    extra: { imported: { format, file, row, ...remarks }, ...run.extra },
  };
}

function profileOfRun({ own }: ForeignRun, { profile, built, profileOf }: ImportContext): Profile {
  const name = profile ?? own?.task.profile ?? built?.name;
  if (name === undefined) {
    const help =
      'no row calls a tool by its name, or the configuration declares profiles; say --profile NAME, or --profile auto to have one built';
    throw refusal('no_profile', '', help);
  }
  const found = profileOf(name);
  if (found) return found;
  throw refusal('no_profile', '', `there is no profile ${name}; say --profile`);
}

function taskOfRun(run: ForeignRun, profile: Profile, { file, row }: ImportContext): Task {
  const { own, question, answers, given_id } = run;
  if (own?.task.profile === profile.name) return { ...own.task, id: taskId(own.task) };
  if (question.trim() === '') throw refusal('no_question', '');
  const task = {
    ...(given_id !== undefined && { given_id }),
    question,
    answers: [...answers],
    domain: profile.domain,
    profile: profile.name,
  };
  return { id: taskId(task), ...task, source: { file, row } };
}

/** What importing one row needs to know besides the row. */
interface ImportContext extends Omit<TraceImportOptions, keyof Reading> {
  /** File name without its folder, and the row's number in it, from 1. */
  readonly file: string;
  readonly row: number;
}

/** What a player wrote comes back as a conversation, whose words conversion puts together as it does others'. */
function importedTeacher(teacher: string): string {
  return teacher === PLAYED_BY_ONE_MODEL ? `imported ${teacher}` : teacher;
}

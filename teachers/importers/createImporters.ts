import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { unreadOf } from '../../schemas/rows/codecTable.ts';
import { isProblem } from '../../schemas/rows/datasetRow.ts';
import { withTokenText } from '../../schemas/rows/tokens.ts';
import { readTrajectory } from '../../schemas/rows/trajectory.ts';
import { type Task, taskId } from '../../schemas/task.ts';
import { PLAYED_BY_ONE_MODEL, type Trace, taskRollout, traceId } from '../../schemas/trace.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { ImportedRecord, ImportRow, RowPlace } from './createImportSource.ts';
import { type ReadRun, runReaders } from './formats.ts';
import { importDatasetRow, type RowContext, readOneAnswer } from './importDatasetRow.ts';
import { malformed, refusal } from './rowRefusal.ts';
import type { ForeignRun, Reading } from './runs/foreignRun.ts';
import { ImportRecorder } from './runs/importRecorder.ts';
import type { ToolMap } from './runs/toolTags.ts';
import { TurnReader } from './runs/turnReader.ts';

export interface TraceImportOptions extends Reading {
  readonly format: keyof typeof runReaders;
  readonly profileOf: (name: string) => Profile | undefined;
  /** `--profile`: profile of every row; default: stated by the rows. */
  readonly profile?: string;
  readonly tools: ToolMap;
  /** Profile built for rows that state none, and its tags by tool name. */
  readonly built?: { readonly name: string; readonly tools: ToolMap };
}

/** Converts other systems' traces to traces. */
export function importTraceRow(
  options: TraceImportOptions,
): (...row: Parameters<ImportRow<Trace>>) => ImportedRecord<Trace> {
  const readRun: ReadRun = runReaders[options.format];
  return (value, place) => {
    const run = readRun(value, options);
    const record = traceOfRun(run, { ...options, ...place });
    return { record, remarks: run.remarks, unread: run.unread, hasGold: hasGold(record.task) };
  };
}

/** Converts dataset rows of any layout to trajectories. */
export function importTrajectoryRow(
  context: RowContext & { readonly decode: (ids: readonly number[]) => Promise<string | undefined> },
): ImportRow<Trajectory> {
  return async (value, { file }) => {
    const row = await withTokenText(readOneAnswer(value), context.decode);
    if (isProblem(row)) throw malformed(row.code, row.path, row.problem);
    if (row.format !== 'trajectory') {
      const { trajectory, remarks } = importDatasetRow(row, context);
      const record = { ...trajectory, source: file };
      return { record, remarks, unread: unreadOf(row, value as JsonObject), hasGold: hasGold(record) };
    }
    const read = readTrajectory(value as JsonObject);
    if ('problem' in read) throw malformed(read.code, read.path, read.problem);
    const record = { source: file, ...read };
    return { record, remarks: [], unread: unreadOf(row, value as JsonObject), hasGold: hasGold(record) };
  };
}

/** True if an answer can be judged. */
function hasGold({ answers, tests }: Pick<Trajectory, 'answers' | 'tests'>): boolean {
  return answers.length > 0 || tests !== undefined;
}

/**
 * Converts another system's run to a trace. Conversion later checks its profile's grammar.
 * @throws RowRefusal for what a trace has no place for
 */
export function traceOfRun(run: ForeignRun, context: ImportContext): Trace {
  const { tools, built, file, row, format } = context;
  const { own, remarks } = run;
  const profile = profileOfRun(run, context);
  const task = taskOfRun(run, profile, { file, row });
  const of = taskRollout({ task_id: task.id, rollout: own?.rollout });
  const recorder = new ImportRecorder(of);
  const allTools = built?.name === profile.name ? new Map([...tools, ...built.tools]) : tools;
  const reader = new TurnReader(profile, allTools, recorder);
  reader.read(run.turns);
  const { events } = recorder;
  if (events.length === 0) throw refusal('no_agent', '');
  if (!own && reader.finalAnswer === undefined)
    throw refusal('failed_run', run.turns.at(-1)!.path, 'no answer follows its last turn');
  const teacher = own?.teacher ?? run.teacher;
  return {
    id: traceId(of, events),
    ...of,
    ...(own?.repairs !== undefined && { repairs: own.repairs }),
    task,
    profile: profile.name,
    // A player's text returns as a conversation, which conversion assembles like any other.
    teacher: teacher === PLAYED_BY_ONE_MODEL ? `imported ${teacher}` : teacher,
    ...(own?.member && { member: own.member }),
    final_answer: reader.finalAnswer ?? own?.final_answer ?? '',
    events,
    messages: {},
    totals: recorder.totals(),
    extra: { imported: { format, file, row, ...(remarks.length > 0 && { remarks }) }, ...run.extra },
  };
}

function profileOfRun({ own }: ForeignRun, { profile, built, profileOf }: ImportContext): Profile {
  const name = profile ?? own?.task.profile ?? built?.name;
  const found = name === undefined ? undefined : profileOf(name);
  if (found) return found;
  const why =
    name === undefined
      ? 'no row calls a tool by its name, or the configuration declares profiles'
      : `there is no profile ${name}`;
  throw refusal('no_profile', '', `${why}; say --profile NAME, or --profile auto to have one built`);
}

function taskOfRun(run: ForeignRun, { name, domain }: Profile, source: RowPlace): Task {
  const { own, question, answers, given_id } = run;
  if (own?.task.profile === name) return { ...own.task, id: taskId(own.task) };
  if (question.trim() === '') throw refusal('no_question', '');
  const given = given_id === undefined ? {} : { given_id };
  const task = { ...given, question, answers: [...answers], domain, profile: name };
  return { id: taskId(task), ...task, source };
}

/** Context of importing one row. */
interface ImportContext extends Omit<TraceImportOptions, keyof Reading>, RowPlace {}

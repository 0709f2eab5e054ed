import type { Profile } from '../../../schemas/coa/profile.ts';
import { type Task, taskId } from '../../../schemas/task.ts';
import { type Trace, traceId } from '../../../schemas/trace.ts';
import { RowRefusal } from '../rowRefusal.ts';
import type { ForeignRun } from './foreignRun.ts';
import { ImportRecorder } from './importRecorder.ts';
import type { ToolMap } from './toolTags.ts';
import { TurnReader } from './turnReader.ts';

/**
 * Another system's run as a trace. Whether its profile's grammar can say it is for conversion to find out.
 *
 * @throws RowRefusal for what a trace has no place for
 */
export function traceOfRun(run: ForeignRun, context: ImportContext): Trace {
  const profile = profileOfRun(run, context);
  const task = taskOfRun(run, profile, context);
  const recorder = new ImportRecorder(task.id);
  const reader = new TurnReader(profile, context.tools, recorder);
  reader.read(run.turns);
  const { events } = recorder;
  if (events.length === 0)
    throw new RowRefusal('unsupported_row', 'no_agent', '', 'no agent says or does anything');
  const { file, row, format } = context;
  const remarks = run.remarks.length > 0 ? { remarks: run.remarks } : {};
  return {
    id: traceId(task.id, events),
    task_id: task.id,
    task,
    profile: profile.name,
    teacher: run.own?.teacher ?? run.teacher,
    final_answer: reader.finalAnswer ?? run.own?.final_answer ?? '',
    events,
    messages: {},
    totals: recorder.totals(),
    extra: { imported: { format, file, row, ...remarks }, ...run.extra },
  };
}

function profileOfRun({ own }: ForeignRun, { profile, profileOf }: ImportContext): Profile {
  const name = profile ?? own?.task.profile;
  if (name === undefined) {
    throw new RowRefusal(
      'unsupported_row',
      'no_profile',
      '',
      'nothing says under which profile to read it; say --profile',
    );
  }
  const found = profileOf(name);
  if (found) return found;
  throw new RowRefusal('unsupported_row', 'no_profile', '', `there is no profile ${name}; say --profile`);
}

function taskOfRun(run: ForeignRun, profile: Profile, { file, row }: ImportContext): Task {
  const { own, question, answers, given_id } = run;
  if (own?.task.profile === profile.name) return { ...own.task, id: taskId(own.task) };
  if (question.trim() === '')
    throw new RowRefusal('unsupported_row', 'no_question', '', 'nothing says what was asked');
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
interface ImportContext {
  /** The format's name, for instance `atif`. */
  readonly format: string;
  /** File name without its folder, and the row's number in it, from 1. */
  readonly file: string;
  readonly row: number;
  readonly profileOf: (name: string) => Profile | undefined;
  /** `--profile`: the profile of every row. */
  readonly profile?: string;
  readonly tools: ToolMap;
}

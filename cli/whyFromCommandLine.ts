import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { printable } from '../base/printable.ts';
import { UserError } from '../base/userError.ts';
import { type StageName, stageRow } from '../contract/stageTable.ts';
import { findTasks, type StoryStep, taskStory } from '../operations/taskStory.ts';
import { findRun } from '../pipeline/run/findRun.ts';
import { benchmarkRunNames, everyRunName } from '../pipeline/run/runNames.ts';
import { filterMeasuresSchema } from '../schemas/filterMeasures.ts';
import { sampleSchema } from '../schemas/sample.ts';
import { taskSchema } from '../schemas/task.ts';
import type { Form, Synthesis, Triple } from '../schemas/taskSynthesis.ts';
import { trajectorySamplingSchema } from '../schemas/trajectory.ts';
import { type Verdict, verdictSchema } from '../schemas/verdict.ts';
import { candidateSchema } from '../synthesis/records/candidate.ts';
import { documentSchema, factRecordSchema } from '../synthesis/records/fact.ts';

/** Lines about a document, or a fact that a model named. */
function sourceLines(kind: 'document' | 'fact', record: JsonObject): string[] {
  if (kind === 'document') {
    const { address, title, text, asked = [] } = documentSchema.parse(record);
    const seeds = asked.map(({ question }) => `seed task: ${question}`);
    return [`${title} at ${address}, ${text.length} characters`, ...seeds];
  }
  const { id, fact } = factRecordSchema.parse(record);
  return [`${id}: ${tripleText([fact.subject, fact.relation, fact.value])}`, `quote: "${fact.quote}"`];
}

const stepSchema = candidateSchema.partial({ question: true });

function candidateLines(stage: string, record: JsonObject): string[] {
  const { question, answers, rounds, ...synthesis } = stepSchema.parse(record);
  if (stage === 'choose') return ['kept'];
  if (stage === 'check') return checkLines(synthesis.checks);
  return [
    ...(question === undefined ? [] : [`question: ${question}`]),
    `answers: ${answers.join(' | ')}`,
    ...(stage === 'grow' ? rounds.map(roundLine) : []),
    ...chainLines(synthesis),
  ];
}

function roundLine({ op, form, reason }: z.infer<typeof candidateSchema>['rounds'][number]): string {
  return `${op}: ${formText(form)}${reason === undefined ? '' : `, taken back: ${reason}`}`;
}

/** Origin of a task: its formal question, and the quotes that answer it in solving order. */
function chainLines({ form, chain, hops }: Pick<Synthesis, 'form' | 'chain' | 'hops'>): string[] {
  return [
    `asks ${form.asked}${form.ask === 'count' ? ' (how many)' : ''} of ${formText(form)}; hops: ${hops}`,
    ...chain.map(
      ({ op, subject, relation, value, quote, document }) =>
        `${op}: ${tripleText([subject, relation, value])}; "${quote}" in ${document}`,
    ),
  ];
}

function checkLines(checks: Synthesis['checks']): string[] {
  return (['fail', 'pass'] as const).flatMap((wanted) => {
    const names = checks
      .filter(({ verdict }) => verdict === wanted)
      .map(({ name, passed = 0, tries }) => (tries === undefined ? name : `${name} (${passed} of ${tries})`));
    return names.length === 0 ? [] : [`${wanted}: ${names.join(', ')}`];
  });
}

function formText({ triples }: Pick<Form, 'triples'>): string {
  return triples.map(tripleText).join(' and ');
}

function tripleText([subject, relation, value]: Triple): string {
  return `[${subject} · ${relation} · ${value}]`;
}

/** Prints the history of a record, in the given run or evaluation, or in all under `runs/` that contain it. */
export async function whyFromCommandLine(
  first: string,
  second: string | undefined,
  { json }: { readonly json?: true },
): Promise<void> {
  const [names, id] = second === undefined ? [everyRunName(), first] : [runsOf(first), second];
  const stories: { run: string; task_id: string; steps: Awaited<ReturnType<typeof taskStory>> }[] = [];
  for (const name of names) {
    const { folder, run } = await findRun(name);
    // Runs of different evaluations share names: those of the benchmarks.
    const shown = names.length > 1 ? name : run.name;
    for (const task_id of await findTasks(folder, run, id))
      stories.push({ run: shown, task_id, steps: await taskStory(folder, run, task_id) });
  }
  if (stories.length === 0)
    throw new UserError(
      `${id}: no task, trace, trajectory or row of the dataset has this id in ${names.join(', ') || 'runs/, which holds no run'}; expected for instance task_..., trace_..., trajectory_..., train:12`,
    );
  if (json) console.log(JSON.stringify(stories));
  else
    console.log(
      stories.map(({ run, task_id, steps }) => storyLines(run, task_id, steps).join('\n')).join('\n\n'),
    );
}

function runsOf(runOrEvaluation: string): string[] {
  const benchmarks = benchmarkRunNames(runOrEvaluation);
  return benchmarks.length > 0 ? benchmarks : [runOrEvaluation];
}

/** Maximum length of a shown text or evidence. */
const MAX_CHARS = 400;

/** History of a task as lines. Escapes control characters, since tasks, models and tools wrote the text. */
export function storyLines(run: string, taskId: string, steps: readonly StoryStep[]): string[] {
  return [`${taskId} in ${run}`, ...steps.flatMap(stepLines)].map(printable);
}

function stepLines(step: StoryStep): string[] {
  const head = step.stage.padEnd(14);
  switch (step.kind) {
    case 'emitted':
      if (step.records.length === 0) return [`${head}emitted no record`];
      return step.records.flatMap((record) =>
        indented(head, withRollout(record.rollout, recordLines(step.stage, record))),
      );
    case 'retry':
      return [`${head}pending again after ${step.cause}`];
    case 'dropped':
    case 'failed':
      return indented(head, withRollout(step.entry.rollout, endLines(step)));
  }
}

/** Adds the rollout number, from 0, except for a task's first. */
function withRollout(rollout: JsonValue | undefined, [first = '', ...others]: readonly string[]): string[] {
  return [rollout === undefined ? first : `rollout ${rollout}: ${first}`, ...others];
}

function endLines({ entry }: Extract<StoryStep, { kind: 'dropped' | 'failed' }>): string[] {
  if (entry.kind === 'drop')
    return [`dropped: ${entry.reason}`, `record ${entry.record_id}`, ...valueLines(entry.evidence)];
  const { cause, message, retryable, evidence } = entry.failure;
  return [
    `failed: ${cause}${retryable ? ', may succeed later (--retry)' : ''}`,
    cut(message),
    ...valueLines(evidence),
  ];
}

/** Output of a stage, formatted by kind of record. */
function recordLines(stage: StageName, record: JsonObject): string[] {
  const { reads, writes } = stageRow(stage);
  if (writes === 'task') return reads === null || reads === 'candidate' ? taskLines(record) : ['kept'];
  if (writes === 'document' || writes === 'fact') return sourceLines(writes, record).map(cut);
  if (writes === 'candidate') return candidateLines(stage, record).map(cut);
  if (writes === 'trace') return traceLines(record);
  if (writes === 'sample') return rowLines(record);
  return trajectoryLines(stage, record);
}

function taskLines(record: JsonObject): string[] {
  const { question, answers, profile, source, given_id, synthesis } = taskSchema.parse(record);
  const place = `${source.file}, row ${source.row}`;
  return [
    `${place}, profile ${profile}${given_id === undefined ? '' : `, id ${given_id}`}`,
    `question: ${cut(question)}`,
    `answers: ${cut(answers.join(' | ')) || 'none, judged by tests'}`,
    ...(synthesis ? [...chainLines(synthesis), ...checkLines(synthesis.checks)].map(cut) : []),
  ];
}

const traceSchema = z.object({ id: z.string(), events: z.array(z.object({ type: z.string() })) });

function traceLines(record: JsonObject): string[] {
  const { id, events } = traceSchema.parse(record);
  const calls = (type: string) => events.filter((event) => event.type === type).length;
  return [`${id}: ${calls('agent_call')} model calls, ${calls('tool_call')} tool calls`];
}

const trajectoryStepSchema = z.object({
  id: z.string(),
  segments: z.array(z.object({ tag: z.string() })),
  quality: z.object({
    interactions: z.int(),
    reflections: z.int(),
    redundant_tool_inputs: z.int(),
    first_double_check: z.int().nullable(),
    verdicts: z.array(verdictSchema),
  }),
  sampling: trajectorySamplingSchema.optional(),
  measures: filterMeasuresSchema.optional(),
});

function trajectoryLines(stage: string, record: JsonObject): string[] {
  const { id, segments, quality, sampling, measures } = trajectoryStepSchema.parse(record);
  const { verdicts, ...figures } = quality;
  if (stage === 'convert') return [`${id}: ${segments.length} segments`, ...valueLines(figures)];
  if (stage === 'judge') return verdicts.length === 0 ? ['no verdict'] : verdicts.flatMap(verdictLines);
  return [
    `kept as ${id}`,
    ...(stage === 'filter' && measures ? ['measured:', ...below(measures)] : []),
    ...(sampling
      ? [`repeats ${sampling.repeats}, weight ${sampling.weight}: ${sampling.reasons.join(', ')}`]
      : []),
  ];
}

function verdictLines({ subject, judge, judgement, score, evidence }: Verdict): string[] {
  return [`${subject}: ${judgement} (${judge}, score ${score})`, ...below(evidence)];
}

function below(value: JsonValue): string[] {
  return valueLines(value).map((line) => `  ${line}`);
}

/** Maximum length of figures that share a line. */
const SHORT_CHARS = 60;

/** Formats a value: each part by path as `key: value`, with short ones on a shared line. */
export function valueLines(value: JsonValue): string[] {
  const lines: string[] = [];
  let beside = '';
  for (const part of partsOf(value, '')) {
    const joined = beside === '' ? part : `${beside} · ${part}`;
    if (joined.length <= SHORT_CHARS) {
      beside = joined;
      continue;
    }
    if (beside !== '') lines.push(beside);
    beside = part;
  }
  return beside === '' ? lines : [...lines, beside];
}

function partsOf(value: JsonValue, path: string): string[] {
  const isPlain = (one: JsonValue) => typeof one !== 'object' || one === null;
  const named = (text: string) => [cut(path === '' ? text : `${path}: ${text}`)];
  if (value === null) return named('none');
  if (typeof value !== 'object') return named(String(value));
  if (Array.isArray(value) && value.every(isPlain)) return value.length === 0 ? [] : named(value.join(', '));
  // Omits the index in a list of one.
  if (Array.isArray(value) && value.length === 1) return partsOf(value[0]!, path);
  const below = (key: string) => (path === '' ? key : `${path}.${key}`);
  const alike = Object.values(
    Object.groupBy(Object.entries(value), ([key, inner]) => messageOf(inner) ?? `.${key}`),
  );
  return alike.flatMap((group) => {
    const [[key, inner], ...more] = group as [[string, JsonValue], ...[string, JsonValue][]];
    const count = more.length === 0 ? [] : [`${below(key)}: ${more.length} more like it`];
    return [...partsOf(inner, below(key)), ...count];
  });
}

/** Message of a fault; repeats at other places in a text are omitted. */
function messageOf(value: JsonValue): string | undefined {
  return isJsonObject(value) && typeof value.message === 'string' ? value.message : undefined;
}

function rowLines(record: JsonObject): string[] {
  const { split, row, repeats = 1, tokens, trained_tokens, cut: cutOff } = sampleSchema.parse(record);
  const rows = repeats === 1 ? `row ${row}` : `rows ${row} to ${row + repeats - 1}`;
  return [
    `${rows} of the ${split} split, from 0; ${tokens} tokens, ${trained_tokens} of them trained${cutOff ? `; ${cutOff.tokens} tokens were cut off its end` : ''}`,
  ];
}

function indented(head: string, lines: readonly string[]): string[] {
  return lines.map((line, at) => `${at === 0 ? head : ' '.repeat(head.length)}${line}`);
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)}...` : line;
}

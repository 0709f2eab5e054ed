import type { JsonObject } from '../../base/json.ts';
import { type StageName, stageRow } from '../../contract/stageTable.ts';
import type { FilterMeasures } from '../../schemas/filterMeasures.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { Sample } from '../../schemas/sample.ts';
import type { Task } from '../../schemas/task.ts';
import type { Trace, TraceEvent } from '../../schemas/trace.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { resultOfCause, resultOfJudged } from '../../schemas/tryResult.ts';
import type { SourceDocument } from '../../synthesis/records/fact.ts';
import type { RowFacts } from './fields.ts';

/** Maximum searched characters of a text: longer than any page an agent can read. */
export const MAX_SEARCHED = 1_000_000;

/** Facts from a record that a stage emitted. This program wrote the journal, so it is not validated. */
export function recordFacts(stage: StageName, record: JsonObject): RowFacts {
  const { writes, reads } = stageRow(stage);
  switch (writes) {
    case 'task':
      if (reads === 'candidate') return madeFacts(stage, record as Task);
      return reads === null ? taskFacts(stage, record as Task) : underWay(stage);
    case 'trace':
      return traceFacts(stage, record as Trace);
    case 'trajectory':
      return trajectoryFacts(stage, record as Trajectory);
    case 'sample':
      return sampleFacts(stage, record as Sample);
    default:
      return synthesisFacts(stage, record);
  }
}

export function ledgerFacts(stage: StageName, entry: LedgerEntry): RowFacts {
  if (entry.kind === 'drop') return dropFacts(stage, entry);
  const partial = entry.partial as Partial<Trace> | undefined;
  const result = isCounted(stage, entry) ? resultOfCause(entry.failure.cause) : undefined;
  return {
    facets: {
      state: 'failed',
      stage,
      reason: entry.failure.cause,
      verdict: result === 'wrong' ? 'no_answer' : result,
      ...(partial?.events && { tool: toolsOf(partial.events) }),
    },
    ...(partial?.events && { texts: textsOfEvents(partial as Trace) }),
    ...(result && { result }),
  };
}

function dropFacts(stage: StageName, { reason, evidence }: LedgerEntry & { kind: 'drop' }): RowFacts {
  const { grounding } = (evidence.measures ?? {}) as Partial<FilterMeasures>;
  return { facets: { state: 'dropped', stage, reason, ...(grounding && { grounding: grounding.finding }) } };
}

/** True if an outcome counts in the task's pass rate, which excludes failures of later stages and second tries. */
function isCounted(stage: string, { repairs }: Pick<LedgerEntry, 'repairs'>): boolean {
  return repairs === undefined && ['rollout', 'convert', 'judge', 'file'].includes(stage);
}

/** State of a row that is being worked on, also after a failure. */
export function underWay(stage: string): RowFacts {
  return { facets: { state: 'pending', stage, reason: undefined, verdict: undefined } };
}

function taskFacts(stage: string, { question, answers, profile, source, id, given_id }: Task): RowFacts {
  const name = source.data_source ?? source.file;
  return {
    facets: { ...underWay(stage).facets, profile, source: name },
    texts: { question, answer: answers.join('\n'), ids: [id, given_id ?? ''].join(' ') },
    shown: { question, gold: answers.join(' | ') },
    recordId: id,
  };
}

/** A task made by synthesis counts as kept. */
function madeFacts(stage: string, task: Task): RowFacts {
  const facts = taskFacts(stage, task);
  return { ...facts, facets: { ...facts.facets, state: 'kept' } };
}

/** A document, a fact or a candidate. */
function synthesisFacts(stage: string, record: JsonObject): RowFacts {
  const { title, question = title, answers, profile } = record as Partial<Task & SourceDocument>;
  return {
    facets: {
      ...underWay(stage).facets,
      // A document is finished once its facts are read.
      ...(stage === 'facts' && { state: 'kept' }),
      ...(profile && { profile }),
    },
    texts: { ...(question && { question }), answer: (answers ?? []).join('\n'), ids: String(record.id) },
    recordId: String(record.id),
  };
}

function traceFacts(stage: string, trace: Trace): RowFacts {
  const { events, totals, ending, profile } = trace;
  const malformed = events.some((event) => event.type === 'agent_call' && event.malformed.length > 0);
  const marks = [
    ...(malformed ? ['malformed answer asked again'] : []),
    ...(ending ? [ending.by === 'forced_answer' ? 'forced answer' : 'suggested answer taken'] : []),
  ];
  return {
    facets: { ...underWay(stage).facets, profile, tool: toolsOf(events), mark: marks },
    figures: {
      model_calls: totals.model_calls,
      cost_usd: totals.cost_usd,
      duration_s: Math.round(totals.duration_ms / 1_000),
    },
    texts: textsOfEvents(trace),
    shown: {
      question: trace.task.question,
      gold: trace.task.answers.join(' | '),
      answer: trace.final_answer,
    },
    recordId: trace.id,
  };
}

function toolsOf(events: readonly TraceEvent[]): string[] {
  return [...new Set(events.flatMap((event) => (event.type === 'tool_call' ? event.tool : [])))];
}

/** Searchable words of a trace, with the question and reference answers of its task. */
function textsOfEvents({ id, task, events, final_answer }: Trace): NonNullable<RowFacts['texts']> {
  const said = events.flatMap((event) =>
    event.type === 'agent_call' ? [event.reasoning ?? '', event.content ?? ''] : [],
  );
  const seen = events.flatMap((event) => (event.type === 'tool_call' ? (event.observation ?? '') : []));
  return {
    ...(task && {
      question: task.question,
      answer: [...task.answers, final_answer ?? ''].join('\n'),
      ids: [task.id, task.given_id ?? '', id ?? ''].join(' '),
    }),
    model: joined(said),
    observation: joined(seen),
  };
}

function joined(texts: readonly string[]): string {
  return texts.join('\n').slice(0, MAX_SEARCHED);
}

/** Facts from a trajectory emitted by `stage`. */
export function trajectoryFacts(stage: string, trajectory: Trajectory): RowFacts {
  const { measures } = trajectory;
  const base = {
    ...underWay(stage).facets,
    mark: marksOf(trajectory),
    ...(measures?.grounding && { grounding: measures.grounding.finding }),
  };
  const { verdicts } = trajectory.quality;
  const score = verdicts.find(({ subject }) => subject === 'answer')?.score;
  const judged = {
    judge: [...new Set(verdicts.map(({ subject, judge, judgement }) => `${judge}: ${subject} ${judgement}`))],
    ...(score !== undefined && { verdict: resultOfJudged(trajectory) }),
  };
  const isFirst = stage === 'convert' || stage === 'file';
  return {
    facets: { ...base, ...judged, ...(isFirst && firstFacets(trajectory)) },
    figures: {
      ...(score !== undefined && { score_percent: Math.round(score * 100) }),
      ...(isFirst && {
        segments: trajectory.segments.length,
        interactions: trajectory.quality.interactions,
      }),
    },
    // Masking a secret gives the record a new id.
    recordId: trajectory.id,
    ...(isFirst && { texts: textsOfTrajectory(trajectory), shown: shownOf(trajectory) }),
    ...(score !== undefined && isCounted(stage, trajectory) && { result: resultOfJudged(trajectory) }),
  };
}

function shownOf({ question, answers, segments }: Trajectory): NonNullable<RowFacts['shown']> {
  const answer = segments
    .findLast(({ tag }) => tag === 'answer')
    ?.text.replaceAll(/^<answer>|<\/answer>$/g, '');
  return { question, gold: answers.join(' | '), answer };
}

function firstFacets({ profile, source, segments }: Trajectory) {
  const tools = segments.flatMap((segment, at) =>
    segment.origin === 'environment' ? (segments[at - 1]?.tag ?? []) : [],
  );
  return { profile, ...(source !== undefined && { source }), tool: [...new Set(tools)] };
}

function textsOfTrajectory({
  id,
  task_id,
  question,
  answers,
  segments,
}: Trajectory): NonNullable<RowFacts['texts']> {
  const of = (origin: string) =>
    joined(segments.flatMap((part) => (part.origin === origin ? part.text : [])));
  return {
    question,
    answer: answers.join('\n'),
    model: of('model'),
    observation: of('environment'),
    ids: `${task_id} ${id}`,
  };
}

function marksOf({ quality, sampling, measures }: Trajectory): string[] {
  const { neutralised, reflections, redundant_tool_inputs, verdicts } = quality;
  const isMarked = verdicts.some(({ marked_segments }) => marked_segments !== undefined);
  return [
    ...(neutralised > 0 ? ['escaped text'] : []),
    ...(reflections > 0 ? ['reflection'] : []),
    ...(redundant_tool_inputs > 0 ? ['redundant tool input'] : []),
    ...(measures?.unsupported_thought?.values ? ['unsupported thought'] : []),
    ...(isMarked ? ['segments marked by a judge'] : []),
    ...(sampling && sampling.repeats > 1 ? ['repeated'] : []),
    ...(sampling && sampling.weight !== 1 ? ['weighted'] : []),
  ];
}

function sampleFacts(stage: string, { split, tokens, trained_tokens, cut }: Sample): RowFacts {
  return {
    facets: { state: 'kept', stage, reason: undefined, split, ...(cut && { mark: ['cut to fit'] }) },
    figures: { tokens, trained_tokens, trained_percent: Math.round((100 * trained_tokens) / tokens) },
  };
}

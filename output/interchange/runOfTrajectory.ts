import type { JsonObject } from '../../base/json.ts';
import { answerText } from '../../schemas/coa/answers.ts';
import { parseJsonBody, parseProgramBody } from '../../schemas/coa/bodies.ts';
import { type Block, serializeBlocks } from '../../schemas/coa/layout.ts';
import { restore } from '../../schemas/coa/neutralise.ts';
import { type Profile, type TagRule, tagRule } from '../../schemas/coa/profile.ts';
import { structuralTagsOf } from '../../schemas/coa/profileRegistry.ts';
import type { Segment, Trajectory } from '../../schemas/trajectory.ts';
import type { ExportRun, ExportTurn } from './exportRun.ts';

/**
 * A trajectory as turns: one an action, with the thinking before it and what a tool gave back. Look-alikes that were
 * made harmless are as they were.
 */
export function runOfTrajectory(trajectory: Trajectory, profile: Profile): ExportRun {
  const { id, answers, domain, tests, segments } = trajectory;
  const question = restore(trajectory.question, structuralTagsOf(profile));
  const final = segments.findLast((segment) => tagRule(profile, segment.tag)?.kind === 'answer');
  const task = {
    id: trajectory.task_id,
    question,
    answers,
    domain,
    profile: profile.name,
    source: { file: 'trajectory', row: 1 },
    ...(tests && { tests }),
  };
  return {
    id,
    question,
    own: { task, teacher: 'trajectory', final_answer: final ? answerText(domain, bodyOf(final)) : '' },
    turns: turnsOf(segments, profile),
    totals: null,
  };
}

function turnsOf(segments: readonly Segment[], profile: Profile): ExportTurn[] {
  const turns: ExportTurn[] = [];
  let think: string | null = null;
  for (const [at, segment] of segments.entries()) {
    const rule = tagRule(profile, segment.tag);
    if (!rule || rule.kind === 'observation') continue;
    if (rule.kind === 'thinking') think = bodyOf(segment);
    else {
      turns.push(turnOf(profile, segment, rule, think, segments[at + 1]));
      think = null;
    }
  }
  return turns;
}

function turnOf(
  profile: Profile,
  segment: Segment,
  rule: TagRule,
  reasoning: string | null,
  next: Segment | undefined,
): ExportTurn {
  const body = bodyOf(segment);
  if (rule.kind !== 'tool') {
    const block: Block = { tag: rule.tag, origin: 'model', body };
    return { reasoning, text: serializeBlocks([block]), calls: [], figures: null };
  }
  const observation = next?.origin === 'environment' ? observed(profile, next) : '';
  const call = { id: segment.event, name: rule.tag, input: inputOf(rule, body), observation };
  return { reasoning, text: '', calls: [call], figures: null };
}

function observed(profile: Profile, segment: Segment): string {
  return restore(bodyOf(segment).replace(/^\n|\n$/g, ''), structuralTagsOf(profile));
}

function inputOf(rule: TagRule, body: string): JsonObject {
  if (rule.body === 'code') return { ...(parseProgramBody(body) ?? { code: body }) };
  if (rule.body === 'json') return parseJsonBody(body) ?? { query: body };
  if (rule.body === 'urls') return { urls: body.split('|').map((url) => url.trim()) };
  return { query: body };
}

function bodyOf({ tag, text }: Segment): string {
  const end = text.lastIndexOf(`</${tag}>`);
  return text.slice(tag.length + 2, end < 0 ? undefined : end);
}

import type { TagRule } from '../../../schemas/coa/profile.ts';
import { answer, observation, plan, think } from '../../../schemas/coa/profiles/tags.ts';
import type { ProfileDeclaration } from '../../../schemas/config/profiles.ts';
import { commonToolName } from '../runs/toolTags.ts';
import type { ArgumentShape } from './argumentShape.ts';
import { builtInstruction, type TaggedTool } from './builtInstruction.ts';
import { callOf, type RunSurvey, START } from './runSurvey.ts';
import { builtinToolBody, tagsOfTools } from './toolTagNames.ts';

/** The name of a profile that is built from rows; as `--profile` it asks for one. */
export const BUILT_PROFILE = 'auto';

/** A profile that is built from rows, and which of its tags each of their tools is. */
export interface BuiltProfile {
  readonly declaration: ProfileDeclaration;
  /** Tags by the tool's name in the rows. */
  readonly tools: Readonly<Record<string, string>>;
}

/**
 * The profile under which the surveyed runs can be read: a tag for each tool, the order that occurs, and thinking before
 * any action where agents think. No action needs thinking: conversion would add words of its own where a run has none.
 * Equal runs give an equal profile, in whatever order they come.
 */
export function profileOfRuns(survey: RunSurvey): BuiltProfile {
  const tools = taggedTools(survey);
  const plans = [...survey.follows.values()].some((next) => next.has(plan.tag));
  const actions = new Map([
    ...(plans ? [[plan.tag, plan] as const] : []),
    ...tools.map(({ key, rule }) => [callOf(key), rule] as const),
    [answer.tag, answer] as const,
  ]);
  const rules = [...actions.values()];
  const declaration: ProfileDeclaration = {
    name: BUILT_PROFILE,
    title: 'Built from the tools and the order of imported rows',
    instruction: builtInstruction({ thinks: survey.thinks, plans, tools }),
    tags: [
      ...(survey.thinks ? [think] : []),
      ...rules.slice(0, -1),
      ...(tools.length > 0 ? [observation] : []),
      answer,
    ],
    ...orderOf(survey, actions),
    think_before: [],
    think_optional_before: survey.thinks ? rules.map(({ tag }) => tag) : [],
    once: [answer.tag],
  };
  const tagOf = new Map(tools.map(({ key, rule }) => [key, rule.tag]));
  const tagged = [...survey.names].flatMap(([name, key]) => {
    const tag = tagOf.get(key);
    return tag === undefined ? [] : [[name, tag] as const];
  });
  return { declaration, tools: Object.fromEntries(tagged.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The tools in the order of their tags; sub-agents are none. */
function taggedTools({ tools, names, mapped, agents }: RunSurvey): TaggedTool[] {
  const agentKeys = new Set([...agents].map((name) => names.get(name)));
  const called = [...tools].filter(([key]) => !agentKeys.has(key));
  const bodyOf = (key: string, shape: ArgumentShape) =>
    (mapped.has(key) ? builtinToolBody(key) : undefined) ?? shape.body(commonToolName(key) === 'code');
  const free = called.filter(([key]) => !mapped.has(key));
  const tags = tagsOfTools(new Map(free.map(([key, shape]) => [key, bodyOf(key, shape)])), [
    ...mapped,
    think.tag,
    plan.tag,
    answer.tag,
  ]);
  return called
    .map(([key, shape]): TaggedTool => {
      const tag = tags.get(key) ?? key;
      const rule = { tag, agent: tag.replaceAll('_', ' '), kind: 'tool', body: bodyOf(key, shape) } as const;
      return { key, rule, shape };
    })
    .sort((one, other) => (one.rule.tag < other.rule.tag ? -1 : 1));
}

/** The order that occurs, made whole: every action can be reached, and the answer from every action. */
function orderOf(survey: RunSurvey, actions: ReadonlyMap<string, TagRule>) {
  const tags = [...actions.values()].map(({ tag }) => tag);
  const seenAfter = (action: string) =>
    new Set([...(survey.follows.get(action) ?? [])].flatMap((next) => actions.get(next)?.tag ?? []));
  const next = new Map([[START, seenAfter(START)]]);
  for (const [action, { tag }] of actions) next.set(tag, seenAfter(action));
  const unfinished = tags.filter((tag) => tag !== answer.tag && !reachedFrom(tag, next).has(answer.tag));
  for (const tag of unfinished) next.get(tag)!.add(answer.tag);
  for (const tag of tags) if (!reachedFrom(START, next).has(tag)) next.get(START)!.add(tag);
  const inOrder = (after: string) => tags.filter((tag) => next.get(after)!.has(tag));
  return {
    first: inOrder(START),
    follows: Object.fromEntries(tags.slice(0, -1).map((tag) => [tag, inOrder(tag)])),
  };
}

function reachedFrom(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set(next.get(start));
  // A set's iterator also visits what is added while it runs.
  for (const tag of reached) for (const after of next.get(tag)!) reached.add(after);
  return reached;
}

import { byName } from '../../../base/counts.ts';
import type { TagRule } from '../../../schemas/coa/profile.ts';
import { answer, observation, plan, think } from '../../../schemas/coa/profiles/tags.ts';
import type { ProfileDeclaration } from '../../../schemas/config/profiles.ts';
import { commonToolName } from '../runs/toolTags.ts';
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
  const { thinks, names, follows } = survey;
  const tools = taggedTools(survey);
  const plans = [...follows.values()].some((next) => next.has(plan.tag));
  const actions = new Map([
    ...(plans ? [[plan.tag, plan] as const] : []),
    ...tools.map(({ key, rule }) => [callOf(key), rule] as const),
    [answer.tag, answer],
  ]);
  const rules = [...actions.values()];
  const declaration: ProfileDeclaration = {
    name: BUILT_PROFILE,
    title: 'Built from the tools and the order of imported rows',
    instruction: builtInstruction(tools, { thinks, plans }),
    tags: [
      ...(thinks ? [think] : []),
      ...rules.slice(0, -1),
      ...(tools.length > 0 ? [observation] : []),
      answer,
    ],
    ...orderOf(follows, actions),
    think_before: [],
    think_optional_before: thinks ? rules.map(({ tag }) => tag) : [],
    once: [answer.tag],
  };
  const tagOf = new Map(tools.map(({ key, rule }) => [key, rule.tag]));
  const tagged = [...names].map(([name, key]) => [name, tagOf.get(key)!] as const);
  return { declaration, tools: byName(tagged.filter(([, tag]) => tag !== undefined)) };
}

/** The tools in the order of their tags; sub-agents are none. */
function taggedTools({ tools, names, mapped, agents }: RunSurvey): TaggedTool[] {
  const agentKeys = new Set([...agents].map((name) => names.get(name)));
  const called = [...tools].flatMap(([key, shape]) => {
    const body = (mapped.has(key) && builtinToolBody(key)) || shape.body(commonToolName(key) === 'code');
    return agentKeys.has(key) ? [] : [{ key, shape, body }];
  });
  const free = called.filter(({ key }) => !mapped.has(key)).map(({ key, body }) => [key, body] as const);
  const tags = tagsOfTools(new Map(free), [...mapped, think.tag, plan.tag, answer.tag]);
  return called
    .map(({ key, shape, body }) => {
      const tag = tags.get(key) ?? key;
      return { key, shape, rule: { tag, agent: tag.replaceAll('_', ' '), kind: 'tool' as const, body } };
    })
    .sort((one, other) => (one.rule.tag < other.rule.tag ? -1 : 1));
}

/** The order that occurs, made whole: every action can be reached, and the answer from every action. */
function orderOf(follows: RunSurvey['follows'], actions: ReadonlyMap<string, TagRule>) {
  const tags = [...actions.values()].map(({ tag }) => tag);
  const seenAfter = (action: string) =>
    new Set([...(follows.get(action) ?? [])].flatMap((next) => actions.get(next)?.tag ?? []));
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

import { byName } from '../../../base/counts.ts';
import { sha256Hex } from '../../../base/ids.ts';
import { chatMarkup } from '../../../schemas/coa/escapeStructure.ts';
import type { BodyRule, TagRule } from '../../../schemas/coa/profile.ts';
import { builtinProfiles } from '../../../schemas/coa/profiles/builtin.ts';
import { answer, observation, plan, think } from '../../../schemas/coa/profiles/tags.ts';
import type { ProfileDeclaration } from '../../../schemas/config/profiles.ts';
import { commonToolName } from '../runs/toolTags.ts';
import { callOf, type RunSurvey, START, type ToolShape } from './runSurvey.ts';

/** Name of a profile built from rows; `--profile` with it requests one. */
export const BUILT_PROFILE = 'auto';

/** A profile built from rows, and the tag of each of their tools. */
export interface BuiltProfile {
  readonly declaration: ProfileDeclaration;
  readonly tools: Readonly<Record<string, string>>;
}

/**
 * Profile under which the surveyed runs are readable: a tag per tool, the occurring order, and thinking before any
 * action if agents think. Thinking is never required: conversion would add text where a run has none. Equal runs give
 * an equal profile in any order.
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
    instruction: instructionOf(tools, { thinks, plans }),
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

/** A called tool with its tag. */
interface TaggedTool {
  /** Its key in the survey. */
  readonly key: string;
  readonly rule: TagRule;
  readonly args: ReadonlySet<string>;
}

/** Tools in tag order, without sub-agents. */
function taggedTools({ tools, names, mapped, agents }: RunSurvey): TaggedTool[] {
  const agentKeys = new Set([...agents].map((name) => names.get(name)));
  const called = [...tools]
    .filter(([key]) => !agentKeys.has(key))
    .map(([key, shape]) => {
      const body = (mapped.has(key) && builtinToolBody(key)) || bodyOf(shape, commonToolName(key) === 'code');
      return { key, args: shape.args, body, tag: mapped.has(key) ? key : legalTag(key, body) };
    });
  // The tool named like the tag keeps it; others get a number.
  const order = ({ key, tag }: (typeof called)[number]) => (mapped.has(key) ? 0 : key === tag ? 1 : 2);
  const used = new Set([think.tag, plan.tag, answer.tag]);
  return called
    .sort((a, b) => order(a) - order(b) || (a.key < b.key ? -1 : 1))
    .map(({ key, args, body, tag }) => {
      let free = tag;
      if (!mapped.has(key)) for (let nth = 2; used.has(free); nth++) free = `${tag}_${nth}`;
      used.add(free);
      return {
        key,
        args,
        rule: { tag: free, agent: free.replaceAll('_', ' '), kind: 'tool' as const, body },
      };
    })
    .sort((one, other) => (one.rule.tag < other.rule.tag ? -1 : 1));
}

/** Narrowest body form for all calls: a form other than `json` keeps the value of one argument. */
function bodyOf({ args, forms }: ToolShape, runsPython: boolean): BodyRule {
  if (runsPython && forms.has('code')) return 'code';
  if (args.size !== 1) return 'json';
  return (['urls', 'text'] as const).find((form) => forms.has(form)) ?? 'json';
}

const builtinTags = Object.values(builtinProfiles).flatMap(({ tags }) => tags);

/** Body of a built-in tool tag; undefined for other tags. */
function builtinToolBody(tag: string): BodyRule | undefined {
  return builtinTags.find((rule) => rule.tag === tag && rule.kind === 'tool')?.body;
}

/** True if a built profile can have this tag for a tool or a tool-like action. */
export function canBeBuiltTag(tag: string): boolean {
  const actions: readonly string[] = [think.tag, plan.tag, answer.tag];
  return actions.includes(tag) || legalTag(tag, builtinToolBody(tag) ?? 'json') === tag;
}

/** Valid tag for a name, see `profileProblems`. A built-in tag keeps its kind and body in every profile. */
function legalTag(name: string, body: BodyRule): string {
  const folded = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .replaceAll('observation', 'obs');
  // A name without Latin letters or digits.
  const tag = folded === '' ? `tool_${sha256Hex(name).slice(0, 6)}` : folded;
  const isOther = builtinTags.some((rule) => rule.tag === tag) && builtinToolBody(tag) !== body;
  if (isOther || (chatMarkup as readonly string[]).includes(tag)) return `${tag}_tool`;
  return /^[a-z]/.test(tag) ? tag : `tool_${tag}`;
}

/** Prompt of the profile: its tags with their content. */
function instructionOf(tools: readonly TaggedTool[], has: { thinks: boolean; plans: boolean }): string {
  const lines = [
    ...(has.thinks ? ['<think>: reason about what to do next.'] : []),
    ...(has.plans ? ['<plan>: the steps that lead to the answer.'] : []),
    ...tools.map(({ rule, args }) => `<${rule.tag}>: ${bodyText(rule.body, [...args].sort())}`),
    ...(tools.length > 0 ? ['<observation>: what a tool returned. You never write it.'] : []),
    '<answer>: the final answer, once, at the end.',
  ];
  return `Answer the question. Write each step between its tags; tags never nest and never appear inside other text.\n\n${lines.join('\n')}`;
}

function bodyText(body: BodyRule, args: readonly string[]): string {
  // Keeps text hidden in an argument's name out of the prompt.
  const names = args.filter((name) => /^[\w.-]{1,64}$/.test(name)).join(', ');
  const said = names === '' ? '' : ` (${names})`;
  const texts: Partial<Record<BodyRule, string>> = {
    urls: `one URL, or several joined by |, for the tool${said}.`,
    code: 'a program in a fenced py block; a fenced sh block after it is its standard input.',
    json: `a call of the tool: its arguments${said} as one JSON object in a fenced json block.`,
  };
  return texts[body] ?? `a call of the tool: its one argument${said}.`;
}

/** Occurring order, completed: every action is reachable, and so is the answer from every action. */
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
  // A set's iterator also visits items added during the loop.
  for (const tag of reached) for (const after of next.get(tag)!) reached.add(after);
  return reached;
}

import { chatMarkup } from './neutralise.ts';
import { orderProblems } from './orderProblems.ts';
import type { BodyRule, Profile, ProfileProblem, TagKind, TagRule } from './profile.ts';
import { builtinProfiles } from './profiles/builtin.ts';
import { referenceProblems } from './referenceProblems.ts';

/**
 * Why a declared profile can't work, the most basic reasons first; none when the parser, the checks, the teacher and
 * the conversion can rely on it. Built-in profiles have none.
 */
export function profileProblems(profile: Profile): readonly ProfileProblem[] {
  // Each step relies on the one before: what a grammar can't reach means little while its tags go astray.
  for (const step of [tagProblems, referenceProblems, orderProblems, promptProblems]) {
    const problems = [...step(profile)];
    if (problems.length > 0) return problems;
  }
  return [];
}

/** What each kind of tag may hold. */
const bodiesOfKind: Readonly<Record<TagKind, readonly BodyRule[]>> = {
  thinking: ['text'],
  plan: ['text'],
  tool: ['text', 'urls', 'code', 'json'],
  observation: ['text'],
  reflection: ['text', 'grades'],
  suggested_answer: ['text'],
  verification: ['score'],
  answer: ['text'],
};

/** Kinds that a profile has at most one tag of: who reads a trajectory looks for them by kind. */
const atMostOne: readonly TagKind[] = [
  'thinking',
  'observation',
  'suggested_answer',
  'verification',
  'answer',
];

/** What is wrong with a profile's tags, each by itself and all together. */
function* tagProblems({ tags }: Profile): Generator<ProfileProblem> {
  const seen = new Set<string>();
  for (const rule of tags) {
    const message = seen.has(rule.tag) ? 'is there twice' : (reserved(rule) ?? wrongBody(rule));
    if (message) yield { path: ['tags', rule.tag], message };
    seen.add(rule.tag);
  }
  for (const message of missingKinds(tags)) yield { path: ['tags'], message };
}

function reserved(rule: TagRule): string | undefined {
  const { tag, kind, body } = rule;
  if ((chatMarkup as readonly string[]).includes(tag))
    return 'is a name that chat templates use; take another';
  const isObservation = kind === 'observation';
  if (isObservation !== (tag === 'observation') || (!isObservation && tag.includes('observation'))) {
    return "observations are tagged observation, and no other tag may hold that word: AFM's fork finds them by it";
  }
  const known = Object.values(builtinProfiles).flatMap((profile) => profile.tags);
  const builtin = known.filter((one) => one.tag === tag);
  if (builtin.length === 0 || builtin.some((one) => one.kind === kind && one.body === body)) return undefined;
  const { kind: itsKind } = builtin[0]!;
  const bodies = [...new Set(builtin.map((one) => one.body))].join(' or ');
  return `is a built-in tag of kind ${itsKind} with body ${bodies}; keep these or take another name`;
}

function wrongBody({ kind, body }: TagRule): string | undefined {
  const fit = bodiesOfKind[kind];
  return fit.includes(body) ? undefined : `a tag of kind ${kind} has body ${fit.join(' or ')}, not ${body}`;
}

function* missingKinds(tags: readonly TagRule[]): Generator<string> {
  const count = (kind: TagKind) => tags.filter((rule) => rule.kind === kind).length;
  for (const kind of atMostOne) {
    if (count(kind) > 1) yield `expected at most one tag of kind ${kind}, got ${count(kind)}`;
  }
  if (count('answer') === 0) yield 'expected a tag of kind answer: every trajectory ends with it';
  if (count('tool') > 0 && count('observation') === 0)
    yield 'expected the tag observation beside the tools: what they return stands in it';
  if (count('verification') > 0 && count('suggested_answer') === 0)
    yield 'expected a tag of kind suggested_answer beside the verification: it is what is verified';
}

/** What keeps a profile's prompt from standing in a row. */
function* promptProblems({ instruction, prompt_style, question_join }: Profile): Generator<ProfileProblem> {
  if (instruction.trim() === '')
    yield { path: ['instruction'], message: 'expected the text of the prompt, got nothing' };
  if (prompt_style === 'question' && question_join !== undefined && !question_join.includes('\n')) {
    const message = `expected a line feed, got ${JSON.stringify(question_join)}: trainers join instruction and input by one; or say prompt_style: task`;
    yield { path: ['question_join'], message };
  }
}

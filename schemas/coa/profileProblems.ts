import { chatMarkup } from './escapeStructure.ts';
import { orderProblems } from './orderProblems.ts';
import {
  type BodyRule,
  type Profile,
  type ProfileProblem,
  type TagKind,
  type TagRule,
  tagOfKind,
  tagRule,
} from './profile.ts';
import { builtinProfiles } from './profiles/builtin.ts';

/**
 * Reasons why a declared profile cannot work; empty if the parser, the checks, the teacher and the conversion can
 * rely on it. Always empty for built-in profiles.
 */
export function profileProblems(profile: Profile): readonly ProfileProblem[] {
  return [...grammarProblems(profile), ...promptProblems(profile)];
}

function* grammarProblems(profile: Profile): Generator<ProfileProblem> {
  const basic = [...tagProblems(profile), ...nameProblems(profile)];
  yield* basic;
  // Reachability is meaningless while tags or names are wrong.
  if (basic.length > 0) return;
  const rules = [...thinkProblems(profile), ...conditionProblems(profile)];
  yield* rules.length > 0 ? rules : orderProblems(profile);
}

/** Allowed bodies by kind of tag. */
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

/** Kinds with at most one tag per profile: readers of a trajectory look them up by kind. */
const atMostOne: readonly TagKind[] = [
  'thinking',
  'observation',
  'suggested_answer',
  'verification',
  'answer',
];

/** Problems of a profile's tags, individually and together. */
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

/** Problems that keep a profile's prompt out of a row. */
function* promptProblems({ instruction, prompt_style, question_join }: Profile): Generator<ProfileProblem> {
  if (instruction.trim() === '')
    yield { path: ['instruction'], message: 'expected the text of the prompt, got nothing' };
  if (prompt_style === 'question' && question_join !== undefined && !question_join.includes('\n')) {
    const message = `expected a line feed, got ${JSON.stringify(question_join)}: trainers join instruction and input by one; or say prompt_style: task`;
    yield { path: ['question_join'], message };
  }
}

/** Rules of a profile that name missing tags or tags that are not actions. */
function* nameProblems(profile: Profile): Generator<ProfileProblem> {
  for (const [path, tag] of namedTags(profile)) {
    const kind = tagRule(profile, tag)?.kind;
    const problem = kind === undefined ? unknownTag(profile, tag) : notAnAction(tag, kind);
    if (problem) yield { path, message: problem };
  }
}

function* namedTags(profile: Profile): Generator<[path: readonly string[], tag: string]> {
  const { first, follows, follows_when } = profile;
  for (const tag of first) yield [['first', tag], tag];
  const ways = [
    ...Object.entries(follows).map(([after, allowed]) => ({ key: 'follows', after, allowed })),
    ...follows_when.map(({ after, allowed }) => ({ key: 'follows_when', after, allowed })),
  ];
  for (const { key, after, allowed } of ways) {
    yield [[key, after], after];
    for (const tag of allowed) yield [[key, after, tag], tag];
  }
  for (const key of ['think_before', 'think_optional_before', 'once'] as const)
    for (const tag of profile[key]) yield [[key, tag], tag];
}

function unknownTag({ tags }: Profile, tag: string): string {
  return `there is no tag ${tag}; the profile's tags are ${tags.map((rule) => rule.tag).join(', ')}`;
}

function notAnAction(tag: string, kind: TagKind): string | undefined {
  if (kind === 'thinking')
    return `${tag} is not an action: name the actions that it stands before in think_before`;
  if (kind === 'observation') return `${tag} is not an action: one follows every tool by itself`;
  return undefined;
}

function* thinkProblems(profile: Profile): Generator<ProfileProblem> {
  const { think_before, think_optional_before } = profile;
  if (think_before.length + think_optional_before.length > 0 && tagOfKind(profile, 'thinking') === undefined)
    yield { path: ['think_before'], message: 'expected a tag of kind thinking among the tags' };
  for (const tag of think_optional_before) {
    if (think_before.includes(tag))
      yield { path: ['think_optional_before', tag], message: `${tag} stands in think_before too` };
  }
}

function* conditionProblems(profile: Profile): Generator<ProfileProblem> {
  for (const { after, outcome, allowed } of profile.follows_when) {
    const wanted = outcome === 'poor' ? 'grades' : 'score';
    if (tagRule(profile, after)?.body !== wanted)
      yield { path: ['follows_when', after], message: `the outcome ${outcome} needs body ${wanted}` };
    const wider = allowed.find((tag) => !profile.follows[after]?.includes(tag));
    if (wider !== undefined)
      yield { path: ['follows_when', after, wider], message: `${wider} is not in follows.${after}` };
  }
  const check = tagOfKind(profile, 'verification');
  if (check !== undefined) yield* verificationProblems(profile, check);
}

/** A verification checks the suggestion right before it; a passing one makes it the answer. */
function* verificationProblems(profile: Profile, check: string): Generator<ProfileProblem> {
  const answer = tagOfKind(profile, 'answer')!;
  const suggested = tagOfKind(profile, 'suggested_answer')!;
  for (const [after, allowed] of Object.entries(profile.follows)) {
    if (after !== suggested && allowed.includes(check))
      yield { path: ['follows', after, check], message: `${check} may only come after ${suggested}` };
  }
  if (profile.first.includes(check))
    yield { path: ['first', check], message: `${check} may only come after ${suggested}` };
  if (profile.think_before.includes(answer)) {
    const message = `nobody thinks before a confirmed answer; name ${answer} in think_optional_before instead`;
    yield { path: ['think_before', answer], message };
  }
  const high = profile.follows_when.find((rule) => rule.after === check && rule.outcome === 'high');
  if (high?.allowed.length !== 1 || high.allowed[0] !== answer) {
    const message = `expected {after: ${check}, outcome: high, allowed: [${answer}]}: a confirmed suggestion is the answer`;
    yield { path: ['follows_when'], message };
  }
}

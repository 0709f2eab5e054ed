import { type Profile, type ProfileProblem, type TagKind, tagOfKind, tagRule } from './profile.ts';

/** Where a profile's rules name tags that it doesn't have, or that are no actions. */
export function* referenceProblems(profile: Profile): Generator<ProfileProblem> {
  for (const [path, tag] of namedTags(profile)) {
    const kind = tagRule(profile, tag)?.kind;
    const problem = kind === undefined ? unknownTag(profile, tag) : notAnAction(tag, kind);
    if (problem) yield { path, message: problem };
  }
  yield* thinkProblems(profile);
  yield* conditionProblems(profile);
}

function* namedTags(profile: Profile): Generator<[path: readonly string[], tag: string]> {
  const { first, follows, follows_when, think_before, think_optional_before, once } = profile;
  for (const tag of first) yield [['first', tag], tag];
  for (const [after, allowed] of Object.entries(follows)) {
    yield [['follows', after], after];
    for (const tag of allowed) yield [['follows', after, tag], tag];
  }
  for (const { after, allowed } of follows_when) {
    yield [['follows_when', after], after];
    for (const tag of allowed) yield [['follows_when', after, tag], tag];
  }
  for (const tag of think_before) yield [['think_before', tag], tag];
  for (const tag of think_optional_before) yield [['think_optional_before', tag], tag];
  for (const tag of once) yield [['once', tag], tag];
}

function unknownTag({ tags }: Profile, tag: string): string {
  return `there is no tag ${tag}; the profile's tags are ${tags.map((rule) => rule.tag).join(', ')}`;
}

function notAnAction(tag: string, kind: TagKind): string | undefined {
  if (kind === 'thinking')
    return `${tag} is no action: name the actions that it stands before in think_before`;
  if (kind === 'observation') return `${tag} is no action: one follows every tool by itself`;
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

/** A verification is of the suggestion right before it, and one that turns out well makes that the answer, unasked. */
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

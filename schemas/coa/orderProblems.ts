import { type ActionOutcome, allowedAfter, isFinal } from './machine.ts';
import { type Profile, type ProfileProblem, tagOfKind, tagRule } from './profile.ts';

/** State of a walk: the last action, its outcome, and the once-only actions used. */
interface Place {
  readonly tag: string;
  readonly outcome: ActionOutcome | undefined;
  readonly used: ReadonlySet<string>;
}

/** Maximum once-only actions considered: each doubles the states of a walk. */
const MAX_ONCE = 10;

/** Dead ends of a profile's order: unreachable actions, and states that cannot reach the end. */
export function* orderProblems(profile: Profile): Generator<ProfileProblem> {
  const answer = tagOfKind(profile, 'answer')!;
  if (profile.first.length === 0)
    yield { path: ['first'], message: 'expected the actions that may come first' };
  if (profile.once.length > MAX_ONCE)
    yield { path: ['once'], message: `expected at most ${MAX_ONCE} tags, got ${profile.once.length}` };
  else if (!profile.once.includes(answer))
    yield { path: ['once'], message: `expected ${answer} among them: there is one answer` };
  else if (!isFinal(profile, answer))
    yield { path: ['follows', answer], message: `expected nothing after ${answer}: it is the last action` };
  else yield* walkProblems(profile);
}

function* walkProblems(profile: Profile): Generator<ProfileProblem> {
  const walk = walkOf(profile);
  const visited = new Set(walk.places.map(({ tag }) => tag));
  for (const { tag, kind } of profile.tags) {
    if (kind === 'thinking' || kind === 'observation' || visited.has(tag)) continue;
    yield { path: ['follows'], message: `nothing leads to ${tag}; name it in first or after another action` };
  }
  const reaching = placesThatReachTheEnd(profile, walk);
  const stuck = walk.places.findIndex((_, at) => !reaching.has(at));
  if (stuck >= 0) {
    const { tag } = walk.places[stuck]!;
    const where = described(profile, walk.places[stuck]!);
    yield { path: ['follows', tag], message: `no way leads from ${where} to the end` };
  }
}

function described(profile: Profile, { tag, outcome, used }: Place): string {
  const how = outcome === undefined ? '' : ` with outcome ${outcome}`;
  const spent = profile.once.filter((once) => once !== tag && used.has(once));
  return `${tag}${how}${spent.length === 0 ? '' : ` once ${spent.join(' and ')} is used up`}`;
}

interface Walk {
  readonly places: readonly Place[];
  /** Indices of the next states. */
  readonly next: readonly (readonly number[])[];
}

function walkOf(profile: Profile): Walk {
  const places: Place[] = [];
  const next: number[][] = [];
  const indexes = new Map<string, number>();
  const indexesOf = (tag: string, before: ReadonlySet<string>): number[] => {
    const used = profile.once.includes(tag) ? new Set([...before, tag]) : before;
    return outcomesOf(profile, tag).map((outcome) => {
      const key = `${tag} ${outcome} ${[...used].sort().join(' ')}`;
      const index = indexes.get(key) ?? places.push({ tag, outcome, used }) - 1;
      indexes.set(key, index);
      return index;
    });
  };
  for (const tag of profile.first) indexesOf(tag, new Set());
  for (let at = 0; at < places.length; at++) {
    const { tag, outcome, used } = places[at]!;
    next.push(allowedAfter(profile, tag, outcome, used).flatMap((to) => indexesOf(to, used)));
  }
  return { places, next };
}

function outcomesOf(profile: Profile, tag: string): (ActionOutcome | undefined)[] {
  const body = tagRule(profile, tag)?.body;
  if (body === 'grades') return ['poor', undefined];
  return body === 'score' ? ['low', 'high'] : [undefined];
}

function placesThatReachTheEnd(profile: Profile, { places, next }: Walk): ReadonlySet<number> {
  const before = places.map((): number[] => []);
  next.forEach((to, from) => {
    for (const at of to) before[at]!.push(from);
  });
  const answer = tagOfKind(profile, 'answer');
  const reaching = new Set(places.keys().filter((at) => places[at]!.tag === answer));
  // A set's iterator also visits items added during the loop.
  for (const at of reaching) for (const from of before[at]!) reaching.add(from);
  return reaching;
}

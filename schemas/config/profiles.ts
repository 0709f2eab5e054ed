import { z } from 'zod';
import { withoutAbsent } from '../../base/withoutAbsent.ts';
import { type Profile, profileSchema, tagNameSchema, tagRuleSchema } from '../coa/profile.ts';
import { keyOf, placePath, plainText } from './keyMeaning.ts';

const tasksKey = keyOf('tasks');
const convertKey = keyOf('convert');

const members = profileSchema.omit({ name: true, foreign_tags: true }).shape;

const declaredTagSchema = z.strictObject({
  ...tagRuleSchema.shape,
  agent: tasksKey(tagRuleSchema.shape.agent.optional(), "Agent that the tag calls; absent: the tag's words"),
  body: tagRuleSchema.shape.body.default('text'),
});

/** Members of a built-in profile that a configuration may set: its prompt. */
export const promptMembers = ['instruction', 'question_join', 'prompt_style'] as const;

/**
 * Profile declared in a configuration: all members, or the differences from another; under a built-in name only its
 * prompt.
 */
export const profileDeclarationSchema = z.strictObject({
  name: tasksKey(
    plainText.regex(/^[a-z][a-z0-9_]{0,49}$/, 'a profile name is lower-case letters, digits and underscores'),
    'Name of the profile; under the name of a built-in one only its prompt can be set',
  ),
  extends: tasksKey(
    plainText.optional(),
    'Built-in profile, or one declared above, whose members hold where this one has none; absent: none',
  ),
  ...z
    .strictObject({
      ...members,
      tags: z
        .array(declaredTagSchema)
        .describe('Tags of the language, added to those of the base or in their place'),
    })
    .partial().shape,
  drop_tags: tasksKey(
    z.array(tagNameSchema).optional(),
    'Tags of the base that this one does without; they leave its other lists too, and its prompt should not name them',
  ),
  question_join: convertKey(
    members.question_join,
    'What stands between the prompt and the question, line feeds included: "\\n\\nQuestion: " in AFM\'s rows for reinforcement learning',
  ),
  instruction_file: convertKey(placePath.optional(), 'Text file with the prompt, in place of instruction'),
});
export type ProfileDeclaration = z.infer<typeof profileDeclarationSchema>;

/** Defaults of a declaration without a base. */
const defaults = {
  domain: 'qa',
  follows_when: [],
  think_optional_before: [],
  min_interactions: 0,
  prompt_style: 'question',
} satisfies Partial<Profile>;

/**
 * Profile of a declaration. Over a base, tags and actions in `follows` are replaced by name or added; every other
 * member replaces the base's whole one. A new tool missing in `follows` gets the places of the base's first tool,
 * with its thoughts. Members that neither has are missing: check the result with `profileSchema`.
 */
export function declaredProfile(
  declaration: ProfileDeclaration,
  base: Profile | undefined,
): Partial<Profile> {
  const { extends: _, drop_tags = [], tags: declared = [], instruction_file, ...own } = declaration;
  const left = base && withoutTags(base, drop_tags);
  const kept = left && newTools(declaration, left).reduce(withToolLikeFirst, left);
  const inherited = kept ?? { ...defaults, title: declaration.name, once: answersIn(declared) };
  const tags = new Map((kept?.tags ?? []).map((rule) => [rule.tag, rule]));
  for (const { agent, ...rule } of declared) {
    tags.set(rule.tag, { ...rule, agent: agent ?? rule.tag.replaceAll('_', ' ') });
  }
  return {
    ...inherited,
    ...withoutAbsent(own),
    tags: [...tags.values()],
    ...(kept && { follows: { ...kept.follows, ...own.follows } }),
  };
}

/** Added tools without a declared place. */
function newTools({ tags = [], follows = {} }: ProfileDeclaration, base: Profile): string[] {
  const named = new Set([...Object.keys(follows), ...Object.values(follows).flat()]);
  return tags.flatMap(({ tag, kind }) =>
    kind === 'tool' && !named.has(tag) && !base.tags.some((rule) => rule.tag === tag) ? [tag] : [],
  );
}

/** Adds a tool wherever the first tool occurs. */
function withToolLikeFirst(profile: Profile, tool: string): Profile {
  const first = profile.tags.find(({ kind }) => kind === 'tool')?.tag;
  if (first === undefined) return profile;
  const added = (tags: readonly string[]) => tags.flatMap((tag) => (tag === first ? [tag, tool] : [tag]));
  const follows = Object.fromEntries(
    Object.entries(profile.follows).map(([tag, allowed]) => [tag, added(allowed)]),
  );
  return {
    ...profile,
    first: added(profile.first),
    follows: { ...follows, [tool]: follows[first] ?? [] },
    follows_when: profile.follows_when.map((rule) => ({ ...rule, allowed: added(rule.allowed) })),
    think_before: added(profile.think_before),
    think_optional_before: added(profile.think_optional_before),
  };
}

function answersIn(tags: NonNullable<ProfileDeclaration['tags']>): string[] {
  return tags.flatMap(({ tag, kind }) => (kind === 'answer' ? [tag] : []));
}

/** Removes tags from everything in a profile except its prompt. */
function withoutTags(profile: Profile, dropped: readonly string[]): Profile {
  const isKept = (tag: string) => !dropped.includes(tag);
  const followed = Object.entries(profile.follows).filter(([tag]) => isKept(tag));
  const conditions = profile.follows_when.filter(({ after }) => isKept(after));
  return {
    ...profile,
    tags: profile.tags.filter(({ tag }) => isKept(tag)),
    first: profile.first.filter(isKept),
    follows: Object.fromEntries(followed.map(([tag, allowed]) => [tag, allowed.filter(isKept)])),
    follows_when: conditions.map((rule) => ({ ...rule, allowed: rule.allowed.filter(isKept) })),
    think_before: profile.think_before.filter(isKept),
    think_optional_before: profile.think_optional_before.filter(isKept),
    once: profile.once.filter(isKept),
  };
}

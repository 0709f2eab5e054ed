import { z } from 'zod';
import { keyOf, plainText, wholeNumber } from '../config/keyMeaning.ts';
import { domainSchema } from '../task.ts';

/** Allowed content of a tag; {@link tagRuleSchema} describes each kind. */
const bodyRuleSchema = z.enum(['text', 'urls', 'code', 'json', 'grades', 'score']);
export type BodyRule = z.infer<typeof bodyRuleSchema>;

/** Roles of tags, in which the grammar's rules are expressed. */
export const tagKindSchema = z.enum([
  'thinking',
  'plan',
  'tool',
  'observation',
  'reflection',
  'suggested_answer',
  'verification',
  'answer',
]);
export type TagKind = z.infer<typeof tagKindSchema>;

/** Tag name without brackets. */
export const tagNameSchema = plainText.regex(
  /^[a-z][a-z0-9_]*$/,
  'a tag is lower-case letters, digits and underscores',
);

const tasksKey = keyOf('tasks');
const convertKey = keyOf('convert');

/** A tag of a profile: its agent, author and content. */
export const tagRuleSchema = z.object({
  tag: tasksKey(tagNameSchema, 'Name of the tag, without its brackets'),
  agent: tasksKey(plainText, 'Agent that the tag calls'),
  kind: tasksKey(tagKindSchema, 'Part that the tag plays in the language'),
  body: tasksKey(
    bodyRuleSchema,
    'What stands between its brackets; text: any text without tags; urls: URLs joined by |; code: a fenced py or python block, then optionally a fenced sh block that is stdin; json: a fenced json block with one object; grades: the three graded criteria; score: "The score this time is:N", N from 1 to 4',
  ),
});
export type TagRule = z.infer<typeof tagRuleSchema>;

/** Actions allowed after an action, depending on its content. */
const conditionalFollowSchema = z.object({
  after: tasksKey(tagNameSchema, 'The action'),
  outcome: tasksKey(
    z.enum(['poor', 'low', 'high']),
    'poor: a reflection with a Poor grade; low: a score of 1 or 2; high: 3 or 4',
  ),
  allowed: tasksKey(z.array(tagNameSchema), 'Actions that may follow it then'),
});

/**
 * Grammar of one agent profile as data. Thinking and observations are not actions: thinking precedes the actions in
 * `think_before`, an observation follows every tool action.
 */
export const profileSchema = z.object({
  name: z.string(),
  title: tasksKey(plainText, "Title for readers; absent: the base's, or the name"),
  domain: tasksKey(
    domainSchema,
    "What kind of questions it solves, which says how answers are judged; absent: the base's, or qa",
  ),
  tags: z.array(tagRuleSchema),
  first: tasksKey(z.array(tagNameSchema), 'Actions that may come first'),
  follows: tasksKey(
    z.record(tagNameSchema, z.array(tagNameSchema)),
    'Actions that may follow an action, by action; one without an entry ends the trajectory',
  ),
  follows_when: z
    .array(conditionalFollowSchema)
    .describe('Narrower sets where content decides; they win over follows'),
  think_before: tasksKey(z.array(tagNameSchema), 'Actions that need thinking right before them'),
  think_optional_before: tasksKey(z.array(tagNameSchema), 'Actions with optional thinking before them'),
  once: tasksKey(
    z.array(tagNameSchema),
    "Actions that occur exactly once; absent: the base's, or the answer",
  ),
  min_interactions: tasksKey(
    wholeNumber,
    "Fewest agent-tool interactions of a kept trajectory; absent: the base's, or 0",
  ),
  instruction: convertKey(plainText, 'Prompt: the instruction in the user turn'),
  prompt_style: convertKey(
    z.enum(['question', 'task']),
    'question: the question goes to the alpaca column input; task: it stands inside instruction',
  ),
  /**
   * Default: a line feed and `Question: `, as in AFM's rows for supervised training; two line feeds, `Task:` and a line
   * feed where `prompt_style` is `task`.
   */
  question_join: convertKey(plainText.optional(), 'Text between the instruction and the question'),
  /** Tags of other profiles in use: in text they would be structure too. Set by the registry. */
  foreign_tags: z.array(tagNameSchema).optional(),
});
export type Profile = z.infer<typeof profileSchema>;

/** The rule of a tag, or undefined when the profile does not have it. */
export function tagRule(profile: Profile, tag: string): TagRule | undefined {
  return profile.tags.find((rule) => rule.tag === tag);
}

/** Tag of a kind in the profile, or undefined. */
export function tagOfKind(profile: Profile, kind: TagKind): string | undefined {
  return profile.tags.find((rule) => rule.kind === kind)?.tag;
}

/** The profile's tool tags, in the order of its table. */
export function toolTags(profile: Profile): string[] {
  return profile.tags.filter((rule) => rule.kind === 'tool').map((rule) => rule.tag);
}

const defaultJoins = { question: '\nQuestion: ', task: '\n\nTask:\n' } as const;

/**
 * User turn of a question under a profile, and its split into alpaca columns, which trainers join by a line feed: the
 * last one before the question.
 */
export function renderPrompt(
  profile: Profile,
  question: string,
): Readonly<Record<'instruction' | 'input' | 'user', string>> {
  const join = profile.question_join ?? defaultJoins[profile.prompt_style];
  const user = `${profile.instruction}${join}${question}`;
  if (profile.prompt_style === 'task') return { instruction: user, input: '', user };
  const cut = join.lastIndexOf('\n');
  const instruction = `${profile.instruction}${join.slice(0, cut)}`;
  return { instruction, input: `${join.slice(cut + 1)}${question}`, user };
}

/** Problem that keeps a profile from working. */
export interface ProfileProblem {
  /** Keys inside the profile; list items are named by tag. */
  readonly path: readonly string[];
  readonly message: string;
}

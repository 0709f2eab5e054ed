import { z } from 'zod';
import { keyOf, plainText, positive, positiveInt, wholeNumber } from './keyMeaning.ts';

const balanceKey = keyOf('balance');

/** Dimensions for grouping records. */
export const balanceDimensions = ['profile', 'source', 'difficulty', 'steps', 'length'] as const;
export type BalanceDimension = (typeof balanceDimensions)[number];

const by = balanceKey(
  z
    .array(z.enum(balanceDimensions))
    .min(1)
    .refine((dimensions) => new Set(dimensions).size === dimensions.length, {
      message: 'each dimension once',
    }),
  'What makes a group: records with the same values are one',
);

const where = z
  .strictObject(
    Object.fromEntries(
      balanceDimensions.map((name) => [
        name,
        balanceKey(plainText.optional(), `Only records whose ${name} is this; absent: any`),
      ]),
    ) as Record<BalanceDimension, z.ZodOptional<z.ZodString>>,
  )
  .default({})
  .describe(
    'Only records with these values, for instance {profile: web, steps: long}; others pass untouched',
  );

const ruleSchema = <Name extends string>(name: Name) =>
  balanceKey(
    z.literal(name),
    'cap: at most so many of each group; quota: at most a share; temperature: sizes made more equal',
  );

/** One rule of `balance.rules`. Rules apply in order, each to the records kept by the previous one. */
const balanceRuleSchema = z
  .discriminatedUnion('rule', [
    z.strictObject({
      rule: ruleSchema('cap'),
      by,
      where,
      most: balanceKey(wholeNumber, 'Most records of each group'),
    }),
    z.strictObject({
      rule: ruleSchema('quota'),
      by,
      where,
      share: balanceKey(
        positive.lt(1),
        'Largest share of each group in all records that are kept, those of other groups included',
      ),
    }),
    z.strictObject({
      rule: ruleSchema('temperature'),
      by,
      where,
      temperature: balanceKey(
        z.number().min(1),
        'T: groups are drawn as n^(1/T); 1 keeps their sizes, a large one makes them equal',
      ),
      how: balanceKey(
        z.enum(['drop', 'repeat', 'weight']).default('drop'),
        'drop: fewer of large groups; repeat: records of small ones more than once; weight: loss weights',
      ),
      total: balanceKey(
        positiveInt.nullable().default(null),
        'Records to keep for drop (null: as many as the shares allow), rows for repeat (null: as many as now)',
      ),
      max_repeats: balanceKey(positiveInt.default(4), 'Most times that repeat lets one record stand'),
    }),
  ])
  .refine((rule) => rule.rule !== 'temperature' || rule.how !== 'weight' || rule.total === null, {
    message: 'no total: weights keep every record',
    path: ['total'],
  });
export type BalanceRule = z.infer<typeof balanceRuleSchema>;

/** The `balance` section: how many records of each group are kept, and their weights. Default: no balancing. */
export const balanceConfigSchema = z.strictObject({
  rules: z
    .array(balanceRuleSchema)
    .default([])
    .describe('Rules that are applied in order; none: every record is kept'),
});
export type BalanceConfig = z.infer<typeof balanceConfigSchema>;

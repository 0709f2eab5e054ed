import { z } from 'zod';
import { besideWrongValues, plainTextSchema, shapes } from './keyMeaning.ts';

const shapesBalance = shapes('balance');

/** What records can be grouped by. */
export const balanceDimensions = ['profile', 'source', 'difficulty', 'steps', 'length'] as const;
export type BalanceDimension = (typeof balanceDimensions)[number];

/** Name of a bucket -> the least value in it; a value is in the bucket with the highest least value that it reaches. */
const bucketsSchema = z
  .record(z.string().min(1), z.number().nonnegative())
  .refine((buckets) => Object.values(buckets).includes(0), 'a bucket that begins at 0')
  .refine(
    (buckets) => new Set(Object.values(buckets)).size === Object.keys(buckets).length,
    'buckets that begin at different values',
  );
export type Buckets = z.infer<typeof bucketsSchema>;

const by = z
  .array(z.enum(balanceDimensions))
  .min(1)
  .refine((dimensions) => new Set(dimensions).size === dimensions.length, {
    message: 'each dimension once',
    ...besideWrongValues,
  })
  .meta(shapesBalance('What makes a group: records with the same values are one'));

const where = z
  .strictObject(
    Object.fromEntries(
      balanceDimensions.map((name) => [
        name,
        plainTextSchema.optional().meta(shapesBalance(`Only records whose ${name} is this; absent: any`)),
      ]),
    ) as Record<BalanceDimension, z.ZodOptional<z.ZodString>>,
  )
  .default({})
  .describe(
    'Only records with these values, for instance {profile: web, steps: long}; others pass untouched',
  );

const ruleSchema = <Name extends string>(name: Name) =>
  z
    .literal(name)
    .meta(
      shapesBalance(
        'cap: at most so many of each group; quota: at most a share; temperature: sizes made more equal',
      ),
    );

/** One rule of `balance.rules`. Rules are applied in order, each to the records that the one before has kept. */
export const balanceRuleSchema = z
  .discriminatedUnion('rule', [
    z.strictObject({
      rule: ruleSchema('cap'),
      by,
      where,
      most: z.int().nonnegative().meta(shapesBalance('Most records of each group')),
    }),
    z.strictObject({
      rule: ruleSchema('quota'),
      by,
      where,
      share: z
        .number()
        .positive()
        .lt(1)
        .meta(
          shapesBalance(
            'Largest share of each group in all records that are kept, those of other groups included',
          ),
        ),
    }),
    z.strictObject({
      rule: ruleSchema('temperature'),
      by,
      where,
      temperature: z
        .number()
        .min(1)
        .meta(
          shapesBalance('T: groups are drawn as n^(1/T); 1 keeps their sizes, a large one makes them equal'),
        ),
      how: z
        .enum(['drop', 'repeat', 'weight'])
        .default('drop')
        .meta(
          shapesBalance(
            'drop: fewer of large groups; repeat: records of small ones more than once; weight: loss weights',
          ),
        ),
      total: z
        .int()
        .positive()
        .nullable()
        .default(null)
        .meta(
          shapesBalance(
            'Records to keep for drop (null: as many as the shares allow), rows for repeat (null: as many as now)',
          ),
        ),
      max_repeats: z
        .int()
        .positive()
        .default(4)
        .meta(shapesBalance('Most times that repeat lets one record stand')),
    }),
  ])
  .refine((rule) => rule.rule !== 'temperature' || rule.how !== 'weight' || rule.total === null, {
    message: 'no total: weights keep every record',
    path: ['total'],
    ...besideWrongValues,
  });
export type BalanceRule = z.infer<typeof balanceRuleSchema>;

/** The `balance` section: how many of which records are kept, and which count for more. Nothing by default. */
export const balanceConfigSchema = z.strictObject({
  rules: z
    .array(balanceRuleSchema)
    .default([])
    .describe('Rules that are applied in order; none: every record is kept'),
  difficulty: bucketsSchema
    .default({ hard: 0, medium: 0.3, easy: 0.7 })
    .meta(shapesBalance('Least pass rate of each bucket; records without a pass rate are in `unknown`')),
  steps: bucketsSchema
    .default({ short: 0, medium: 5, long: 10 })
    .meta(shapesBalance('Least number of agent-tool interactions of each bucket')),
  length: bucketsSchema
    .default({ short: 0, medium: 10_000, long: 40_000 })
    .meta(
      shapesBalance("Least length of each bucket: characters of the trajectory's text (UTF-16 code units)"),
    ),
});
export type BalanceConfig = z.infer<typeof balanceConfigSchema>;

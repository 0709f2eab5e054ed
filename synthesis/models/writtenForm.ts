import { z } from 'zod';
import { type Form, formSchema, looseFormSchema, variableSchema } from '../../schemas/taskSynthesis.ts';

/** A list, so that an endpoint holds its model to it. */
const variable = variableSchema.meta({ enum: ['?x', '?y', '?z', '?u', '?v', '?w', '?r', '?s', '?t'] });
const { triples, ask, compare } = looseFormSchema.shape;

/**
 * A form as a model writes it: all members are there, as OpenAI's strict mode asks. A comparison comes first, before it is
 * taken for two questions. Which variables are blurred does not stand in the words.
 */
const writtenSchema = z.strictObject({
  compare: compare.unwrap().extend({ variable, by: variable }).nullable(),
  triples,
  asked: variable,
  ask: ask.unwrap(),
  ranges: z.array(z.strictObject({ variable, lowest: z.number(), highest: z.number() })),
});
type WrittenForm = z.infer<typeof writtenSchema>;

/** Reads a form that a model wrote. */
export const writtenFormSchema: z.ZodType<Form> = writtenSchema
  .transform(
    ({ compare, ranges, ...form }): z.input<typeof formSchema> => ({
      ...form,
      ...(compare && { compare }),
      ...(ranges.length > 0 && {
        ranges: Object.fromEntries(
          ranges.map(({ variable, lowest, highest }) => [variable, [lowest, highest]]),
        ),
      }),
    }),
  )
  .pipe(formSchema);

/** A form as {@link writtenFormSchema} reads it. */
export function writtenForm({ compare, triples, ranges = {}, asked, ask }: Form): WrittenForm {
  return {
    compare: compare ?? null,
    ...{ triples, asked, ask },
    ranges: Object.entries(ranges).map(([variable, [lowest, highest]]) => ({ variable, lowest, highest })),
  };
}

import { z } from 'zod';

const text = z.string().min(1);

/**
 * ms-swift puts the number of the round in their place, wherever they stand in a user's text
 * (`Template._concat_context_list`, 4.6).
 */
const msSwiftPlaceholders = ['{{ROUND0}}', '{{ROUND1}}'] as const;

/**
 * A row of `ms_swift/`: system, user, and the parts of the assistant's turn, which ms-swift joins. The markup around
 * them, the end of the turn included, is its template's.
 */
export const msSwiftRowSchema = z.strictObject({
  messages: z
    .tuple([
      z.strictObject({ role: z.literal('system'), content: text }),
      z.strictObject({
        role: z.literal('user'),
        content: text.refine(
          (content) => !msSwiftPlaceholders.some((placeholder) => content.includes(placeholder)),
          `expected none of ${msSwiftPlaceholders.join(', ')}, which ms-swift replaces`,
        ),
      }),
    ])
    .rest(
      z.strictObject({
        role: z.literal('assistant'),
        content: text,
        /** Whether the part is in the loss. */
        loss: z.boolean(),
      }),
    )
    .refine((messages) => messages.length > 2, 'expected a part of the assistant'),
});
export type MsSwiftRow = z.infer<typeof msSwiftRowSchema>;

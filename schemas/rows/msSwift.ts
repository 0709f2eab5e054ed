import { z } from 'zod';
import type { RowProblem } from './datasetRow.ts';
import { cannotWrite, type RowToWrite, rowTurns } from './rowToWrite.ts';

/** What a chat template of ms-swift writes around a system prompt, a question and an answer. */
export interface MsSwiftTemplate {
  /** Its name: `--template`. */
  readonly name: string;
  readonly beforeSystem: string;
  readonly betweenSystemAndUser: string;
  readonly beforeAnswer: string;
  /** In the loss, whatever part of the answer stands before it. */
  readonly afterAnswer: string;
}

const chatMl = {
  beforeSystem: '<|im_start|>system\n',
  betweenSystemAndUser: '<|im_end|>\n<|im_start|>user\n',
  beforeAnswer: '<|im_end|>\n<|im_start|>assistant\n',
  afterAnswer: '<|im_end|>\n',
} as const;

/**
 * Templates of ms-swift 4.6 (`swift/template/templates`) that write what our presets of the same key write. Qwen3's
 * own one adds an empty thought where an answer begins with none; `qwen3_nothinking` is the one that adds nothing.
 * Mistral's is missing: ms-swift has none that writes the system prompt where that preset does.
 */
const msSwiftTemplates: Readonly<Record<string, MsSwiftTemplate>> = {
  chatml: { name: 'qwen2_5', ...chatMl },
  qwen3: { name: 'qwen3_nothinking', ...chatMl },
  llama3: {
    name: 'llama3',
    beforeSystem: '<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n',
    betweenSystemAndUser: '<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n',
    beforeAnswer: '<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
    afterAnswer: '<|eot_id|>',
  },
};

/** The presets of `dataset.chat_template` that ms-swift has a template for. */
export const msSwiftPresets: readonly string[] = Object.keys(msSwiftTemplates);

/** ms-swift's template for a preset; undefined when it has none, as for templates of a user's own. */
export function msSwiftTemplate(preset: string): MsSwiftTemplate | undefined {
  return Object.hasOwn(msSwiftTemplates, preset) ? msSwiftTemplates[preset] : undefined;
}

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

/**
 * A row in ms-swift's messages, from which its template writes the row's very text. System and user text are cut out
 * of the text itself: our template may have trimmed them. A problem where the template would write another text, or put
 * something else in the loss.
 */
export function msSwiftRow(pieces: RowToWrite['pieces'], template: MsSwiftTemplate): MsSwiftRow | RowProblem {
  const { beforeSystem, betweenSystemAndUser, beforeAnswer, afterAnswer, name } = template;
  const [prompt, ...turns] = rowTurns(pieces);
  if (prompt === undefined || prompt.trained) return refusal('its beginning is trained');
  // The markup holds control tokens, which no other text holds: its first place is its only one.
  const userMarkup = prompt.text.indexOf(betweenSystemAndUser);
  const answerMarkup = prompt.text.indexOf(beforeAnswer, userMarkup + 1);
  if (!prompt.text.startsWith(beforeSystem) || userMarkup < 0 || answerMarkup < 0)
    return refusal(`its prompt is not what ms-swift's template ${name} writes`);
  const last = turns.at(-1);
  if (!last?.trained || !last.text.endsWith(afterAnswer))
    return refusal(`it does not end as ms-swift's template ${name} would end it`);
  const parts = [
    { trained: false, text: prompt.text.slice(answerMarkup + beforeAnswer.length) },
    ...turns.slice(0, -1),
    { trained: true, text: last.text.slice(0, -afterAnswer.length) },
  ];
  const parsed = msSwiftRowSchema.safeParse({
    messages: [
      { role: 'system', content: prompt.text.slice(beforeSystem.length, userMarkup) },
      { role: 'user', content: prompt.text.slice(userMarkup + betweenSystemAndUser.length, answerMarkup) },
      ...parts.flatMap(({ trained, text }) =>
        text === '' ? [] : [{ role: 'assistant', content: text, loss: trained }],
      ),
    ],
  });
  return parsed.success ? parsed.data : refusal(parsed.error.issues[0]!.message);
}

function refusal(problem: string): RowProblem {
  return cannotWrite(`the row can't be written as ms-swift's messages: ${problem}`);
}

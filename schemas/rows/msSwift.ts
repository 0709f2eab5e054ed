import { z } from 'zod';
import type { RowProblem } from './datasetRow.ts';
import { cannotWrite, type RowToWrite, rowTurns } from './rowToWrite.ts';

/** Text that a chat template of ms-swift puts around system prompt, question and answer. */
export interface MsSwiftTemplate {
  /** Its name: `--template`. */
  readonly name: string;
  readonly beforeSystem: string;
  readonly betweenSystemAndUser: string;
  readonly beforeAnswer: string;
  /** Trained with the last part of the answer. */
  readonly afterAnswer: string;
}

const chatMl = {
  beforeSystem: '<|im_start|>system\n',
  betweenSystemAndUser: '<|im_end|>\n<|im_start|>user\n',
  beforeAnswer: '<|im_end|>\n<|im_start|>assistant\n',
  afterAnswer: '<|im_end|>\n',
} as const;

/**
 * Templates of ms-swift 4.6 (`swift/template/templates`) that produce the same text as our presets of the same key.
 * Qwen3's own adds an empty thought to an answer without one; `qwen3_nothinking` does not. Mistral's is missing:
 * ms-swift has none that puts the system prompt where that preset does.
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

/** Presets of `dataset.chat_template` with an ms-swift template. */
export const msSwiftPresets: readonly string[] = Object.keys(msSwiftTemplates);

/** ms-swift's template for a preset; undefined without one, as for user templates. */
export function msSwiftTemplate(preset: string): MsSwiftTemplate | undefined {
  return Object.hasOwn(msSwiftTemplates, preset) ? msSwiftTemplates[preset] : undefined;
}

const text = z.string().min(1);

/**
 * Placeholders that ms-swift replaces by the round's number anywhere in user text (`Template._concat_context_list`,
 * 4.6).
 */
const msSwiftPlaceholders = ['{{ROUND0}}', '{{ROUND1}}'] as const;

/**
 * A row of `ms_swift/`: system, user, and the parts of the assistant's turn, which ms-swift joins. Its template adds
 * the markup, the end of the turn included.
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
        /** True if the part is in the loss. */
        loss: z.boolean(),
      }),
    )
    .refine((messages) => messages.length > 2, 'expected a part of the assistant'),
});
export type MsSwiftRow = z.infer<typeof msSwiftRowSchema>;

/**
 * A row in ms-swift's messages, from which its template reproduces the row's exact text. System and user text are cut
 * out of that text, since our template may have trimmed them. A problem if the template would change the text or the
 * loss.
 */
export function msSwiftRow(pieces: RowToWrite['pieces'], template: MsSwiftTemplate): MsSwiftRow | RowProblem {
  const { beforeSystem, betweenSystemAndUser, beforeAnswer, afterAnswer, name } = template;
  const [prompt, ...turns] = rowTurns(pieces);
  if (prompt === undefined || prompt.trained) return refusal('its beginning is trained');
  // The markup contains control tokens, which other text cannot: its first match is its only one.
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

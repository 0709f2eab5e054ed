import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { renderPrompt } from '../coa/profile.ts';
import type { AfmRow } from '../trainers/afmMask.ts';
import type { Trajectory } from '../trajectory.ts';
import type { RowPiece, RowProblem } from './datasetRow.ts';
import { has, pathText, type RowCodec, readColumns, rowOfPieces } from './rowCodec.ts';
import { answerText, cannotWrite, type RowToWrite } from './rowToWrite.ts';

/** Parquet has null for missing text. */
const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

const promptSchema = {
  instruction: z.string(),
  input: optionalText,
  system: optionalText,
  /** Earlier user turns, each with its answer. */
  history: z.array(z.tuple([z.string(), z.string()])).nullish(),
};
const schema = z.looseObject({ ...promptSchema, output: z.string().nullish() });

/**
 * Alpaca's columns, AFM's released layout: the user turn is `instruction`, then `input` on a line of its own. AFM's fork
 * of LLaMA-Factory masks the observations in `output` by their tokens. AFM's rows have no `history`: stock LLaMA-Factory
 * trains its answers as well.
 */
export const alpacaCodec: RowCodec = {
  name: 'alpaca',
  columns: 'instruction, input and output (or query and response)',
  reads: ['instruction', 'input', 'output', 'history', 'query', 'response'],
  recognises: (raw) => has(raw, 'instruction') || isSwift(raw),
  read: (raw) =>
    readColumns(schema, isSwift(raw) ? inAlpaca(raw) : raw, ({ output, ...columns }) => {
      const ofOutput = columns.history?.length || isSwift(raw) ? 'turns' : 'fork';
      return rowOfPieces(raw, 'alpaca', output == null ? 'nothing' : ofOutput, [
        ...promptPieces(columns),
        ...(output == null ? [] : [answerPiece(output)]),
      ]);
    }),
};

/** ms-swift's names of these columns. */
function isSwift(raw: JsonObject): boolean {
  const isOther = ['instruction', 'messages', 'conversations'].some((name) => has(raw, name));
  return !isOther && typeof raw.query === 'string' && typeof raw.response === 'string';
}

function inAlpaca({ query, response, ...raw }: JsonObject): JsonObject {
  return { ...raw, instruction: query!, output: response! };
}

/** Prompt of a row with answers in other columns. */
export function alpacaPrompt(raw: JsonObject): RowPiece[] | RowProblem {
  const parsed = z.looseObject(promptSchema).safeParse(raw);
  if (parsed.success) return promptPieces(parsed.data);
  const { path, code, message } = parsed.error.issues[0]!;
  return { path: pathText(path), code, problem: message };
}

function promptPieces({
  instruction,
  input,
  system,
  history,
}: z.infer<z.ZodObject<typeof promptSchema>>): RowPiece[] {
  return [
    ...(system === '' ? [] : [promptPiece('system', system)]),
    ...(history ?? []).flatMap(([asked, answered]) => [promptPiece('user', asked), answerPiece(answered)]),
    promptPiece('user', input === '' ? instruction : `${instruction}\n${input}`),
  ];
}

function answerPiece(text: string): RowPiece {
  return { text, role: 'assistant', origin: 'model', weight: 1 };
}

function promptPiece(role: 'system' | 'user', text: string): RowPiece {
  return { text, role, origin: 'prompt', weight: 0 };
}

/**
 * A row in AFM's columns, whose instruction and input together form the user turn. The system turn is omitted: the
 * fork's template writes Qwen's. LLaMA-Factory, and so the fork, replaces `{{idx}}` in a prompt by a number.
 */
export function alpacaRow({
  rendered,
  profile,
}: Pick<RowToWrite, 'rendered' | 'profile'>): AfmRow | RowProblem {
  if (rendered.user.includes('{{idx}}'))
    return cannotWrite("AFM's fork would write a number in place of {{idx}} in the prompt");
  const { instruction, input, user } = renderPrompt(profile, rendered.question);
  const columns = user === rendered.user ? { instruction, input } : promptColumns(rendered);
  return { ...columns, output: answerText(rendered) };
}

/** Columns of a foreign prompt, as in imported rows: split like AFM's. */
function promptColumns({
  user,
  question,
}: Pick<Trajectory, 'user' | 'question'>): Pick<AfmRow, 'instruction' | 'input'> {
  const input = `Question: ${question}`;
  const instruction = user.slice(0, -input.length - 1);
  return instruction !== '' && user === `${instruction}\n${input}`
    ? { instruction, input }
    : { instruction: user, input: '' };
}

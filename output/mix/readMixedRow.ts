import { contentId } from '../../base/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { MixedRow } from '../../schemas/mixedRow.ts';
import { unreadFields } from '../../schemas/rows/chatTurns.ts';
import { readDatasetRow, unfitFor, unreadOf } from '../../schemas/rows/codecTable.ts';
import {
  type DatasetRow,
  isProblem,
  type RowProblem,
  type RowTokens,
} from '../../schemas/rows/datasetRow.ts';
import { mediaIn } from '../../schemas/rows/rowCodec.ts';
import { tokenWeights, withTokenText } from '../../schemas/rows/tokens.ts';
import { listFaults } from '../check/tokenRow.ts';
import { normalText } from '../rows/escapeSpecialTokens.ts';
import type { DecodeIds } from '../tokenizers/decodeIds.ts';

/** Row of `dataset.mix` as read. */
export interface MixedSource {
  readonly record: MixedRow;
  /** Its question, for benchmarks and splits. */
  readonly asked: string;
  /** Functions that it declares. */
  readonly tools: readonly JsonObject[];
  readonly usesTools: boolean;
  readonly ids?: readonly number[];
  /** Number of texts repaired to well-formed Unicode in normal form C. */
  readonly repairedTexts: number;
  /** Unused columns and fields. */
  readonly notRead: readonly string[];
}

const layouts = ['messages', 'sharegpt', 'alpaca', 'tokens'] as const satisfies readonly MixedRow['layout'][];

/**
 * Reads a row of `dataset.mix` in any layout that `check` supports.
 *
 * @param file - Name of its file, for the record.
 */
export async function readMixedRow(
  value: JsonValue,
  file: string,
  decode: DecodeIds,
): Promise<MixedSource | RowProblem> {
  const read = readDatasetRow(value);
  if (isProblem(read)) return read;
  const raw = isJsonObject(value) ? value : {};
  const problem = unfitFor('one_answer', read) ?? unmixable(read, raw);
  if (problem) return problem;
  const said = await withTokenText(read, decode);
  return isProblem(said) ? said : sourceOf(said, raw, file);
}

/** Reason why a row can't be mixed in, judged by its columns. */
function unmixable(row: DatasetRow, raw: JsonObject): RowProblem | undefined {
  const { format, tokens } = row;
  if (!layouts.some((name) => name === format))
    return refused('', 'unsupported_layout', `expected ${layouts.join(', ')}; found ${format}`);
  const [media] = mediaIn(raw);
  if (media !== undefined) return refused(media, 'unread_part', 'expected rows of text alone, found media');
  if (row.hasNullArguments)
    return refused(
      'tool_calls',
      'null_arguments',
      'arguments hold nulls, as loaders put them in; write arguments as JSON text',
    );
  return tokens ? tokenProblem(tokens) : turnProblem(row);
}

function tokenProblem(tokens: RowTokens): RowProblem | undefined {
  const [fault] = listFaults(tokens);
  if (fault) return refused('input_ids', fault.rule, fault.message);
  const weights = tokenWeights(tokens);
  if (weights[0] !== 0)
    return refused('input_ids', 'first_token_trained', 'the first token is trained, but nothing predicts it');
  return weightProblem('input_ids', weights);
}

function turnProblem({ pieces }: DatasetRow): RowProblem | undefined {
  const at = pieces.findIndex(({ role, weight }) => role !== 'assistant' && weight > 0);
  if (at >= 0)
    return refused(
      `turn ${at + 1}`,
      'prompt_trained',
      `a turn of the ${pieces[at]!.role} is marked as trained`,
    );
  return weightProblem(
    'turns',
    pieces.map(({ weight }) => weight),
  );
}

function weightProblem(path: string, weights: readonly number[]): RowProblem | undefined {
  const other = weights.find((weight) => weight !== 0 && weight !== 1);
  if (other !== undefined)
    return refused(path, 'fractional_weight', `expected a weight of 0 or 1, found ${other}`);
  return weights.some((weight) => weight > 0)
    ? undefined
    : refused(path, 'nothing_trained', 'nothing of the row is trained');
}

function sourceOf(said: DatasetRow, raw: JsonObject, file: string): MixedSource {
  const { pieces, tools, tokens, hasCalls } = said;
  const contents = pieces.map(({ text }) => normalText(text));
  const layout = said.format as MixedRow['layout'];
  const messages = pieces.map(({ role, weight }, at) => ({
    role,
    content: contents[at]!,
    trained: weight > 0,
  }));
  const ids = tokens && { ids: tokens.ids };
  return {
    record: { id: contentId('row', { layout, messages, tools, ...ids }), file, layout, messages },
    asked: said.question ?? said.user ?? '',
    tools,
    usesTools:
      !tokens && (hasCalls === true || tools.length > 0 || pieces.some(({ role }) => role === 'tool')),
    ...ids,
    repairedTexts: pieces.filter(({ text }, at) => text !== contents[at]).length,
    notRead: [...unreadOf(said, raw), ...unreadFields(raw)],
  };
}

function refused(path: string, code: string, problem: string): RowProblem {
  return { path, code, problem };
}

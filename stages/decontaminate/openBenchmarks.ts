import path from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import { openRowFile } from '../../base/rows/openRowFile.ts';
import { rowFilesAt } from '../../base/rows/rowFilesAt.ts';
import { UserError } from '../../base/userError.ts';
import { valueAt } from '../../schemas/columnPath.ts';
import type { BenchmarkConfig, DecontaminateConfig } from '../../schemas/config/decontaminate.ts';
import type { BenchmarkRow } from '../../schemas/contamination.ts';
import { decryptCell } from '../../schemas/decryptCell.ts';
import { BenchmarkIndex } from './benchmarkIndex.ts';
import { type BenchmarkLayout, layoutsOf, taskInTurn } from './benchmarkLayouts.ts';

/**
 * Reads benchmarks into an index, which whoever asks for it must close. Throws `UserError` for files that can't be
 * read.
 */
export async function openBenchmarks(
  { benchmarks, ...rule }: DecontaminateConfig,
  signal: AbortSignal,
): Promise<BenchmarkIndex> {
  const index = new BenchmarkIndex(rule);
  try {
    for (const benchmark of benchmarks) {
      for await (const { question, place } of readBenchmark(benchmark)) {
        signal.throwIfAborted();
        index.add(question, place);
      }
    }
    return index;
  } catch (error) {
    index.close();
    throw error;
  }
}

/** A benchmark's question and where it stands. */
interface BenchmarkQuestion {
  readonly place: BenchmarkRow;
  readonly question: string;
}

/** What a question is found by. */
type QuestionLayout = Omit<BenchmarkLayout, 'columns'>;

/**
 * Reads the questions of a benchmark, one row in memory at a time; never its answers. Throws `UserError` for a file
 * whose columns fit no layout, and for a row without a question: a row that is passed over could leak unseen.
 */
export async function* readBenchmark(config: BenchmarkConfig): AsyncGenerator<BenchmarkQuestion> {
  const benchmark = config.name ?? path.parse(config.path).name;
  for (const file of await rowFilesAt(config.path)) {
    // Without the folder that was given.
    const name = file.isNamed ? file.name : file.name.slice(file.name.indexOf('/') + 1);
    for await (const { row, question } of questionsOf(file.path, config)) {
      yield { place: { benchmark, benchmark_file: name, benchmark_row: row }, question };
    }
  }
}

async function* questionsOf(file: string, config: BenchmarkConfig) {
  const { unit, columns } = await openRowFile(file);
  let layout: QuestionLayout | undefined;
  for await (const read of columns()) {
    const place = `benchmark ${file} ${unit} ${read.row}`;
    if ('problem' in read) throw new UserError(`${place}: ${read.problem}; fix or remove the row`);
    layout ??= layoutFor(read.value, config, file);
    yield { row: read.row, question: questionIn(read.value, layout, place) };
  }
  if (layout === undefined) {
    throw new UserError(`benchmark ${file}: it holds no rows; a benchmark needs at least one question`);
  }
}

function layoutFor(row: JsonObject, { columns, preset }: BenchmarkConfig, file: string): QuestionLayout {
  const { question, canary } = columns;
  if (question !== undefined) return { question, ...(canary !== undefined && { canary }) };
  const layout = layoutsOf(preset).find((known) => known.columns.every((name) => Object.hasOwn(row, name)));
  if (layout) return { ...layout, ...(canary !== undefined && { canary }) };
  throw new UserError(`benchmark ${file}: ${unknownColumns(row, preset)}`);
}

function unknownColumns(row: JsonObject, preset: BenchmarkConfig['preset']): string {
  const names = Object.keys(row).map((name) => JSON.stringify(name));
  const found = `found the columns ${names.join(', ').slice(0, 500) || '(none)'}`;
  const mapping = "name the question's column with columns.question";
  if (preset === undefined) return `${found}, which fit no preset; ${mapping}`;
  const expected = layoutsOf(preset).map((layout) => layout.columns.join(', '));
  return `${found}; preset ${preset} expects ${expected.join(', or ')}; ${mapping}`;
}

function questionIn(row: JsonObject, layout: QuestionLayout, place: string): string {
  const cell = textAt(row, layout.question, place);
  if (layout.canary === undefined) return layout.inTurn ? taskInTurn(cell) : cell;
  const question = decryptCell(cell, textAt(row, layout.canary, place));
  if (question !== undefined) return question;
  throw new UserError(
    `${place}: the question (column ${layout.question}) is not encrypted with column ${layout.canary}; for plain text name another preset, or columns.question alone`,
  );
}

function textAt(row: JsonObject, column: string, place: string): string {
  const value = valueAt(row, column);
  if (typeof value === 'string' && value.trim() !== '') return value;
  const found = value === undefined || value === null ? 'nothing' : JSON.stringify(value).slice(0, 60);
  throw new UserError(`${place}: expected text in column ${column}, found ${found}; fix or remove the row`);
}

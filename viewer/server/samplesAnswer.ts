import { UserError } from '../../base/userError.ts';
import { readEvaluation, readTaskFile } from '../../operations/evaluate/evaluationFolder.ts';
import type { SamplesAnswer } from '../api.ts';

/** Samples that one answer holds. */
const MAX_SAMPLES = 50;

/**
 * Samples of a benchmark, of one result where `result` names it, from the `from`th on.
 *
 * @throws UserError for a benchmark that the evaluation does not have
 */
export async function samplesAnswer(
  folder: string,
  benchmark: string,
  query: URLSearchParams,
): Promise<SamplesAnswer> {
  const { benchmarks } = await readEvaluation(folder);
  if (!benchmarks.some(({ name }) => name === benchmark)) throw new UserError(`no benchmark "${benchmark}"`);
  const wanted = query.get('result');
  const from = Math.max(0, Number(query.get('from') ?? 0) || 0);
  const tasks = await readTaskFile(folder, benchmark);
  const found = tasks.flatMap(({ question, answers, samples }) =>
    samples
      .filter(({ result }) => wanted === null || result === wanted)
      .map((sample) => ({ ...sample, question, answers })),
  );
  return { found: found.length, samples: found.slice(from, from + MAX_SAMPLES) };
}

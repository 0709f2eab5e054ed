import { UserError } from '../base/userError.ts';
import { parseRowFilter, type RowAnswer, rowAnswers } from './server/listedRows.ts';
import { Sources } from './server/sources.ts';

/** Rows that are looked up together. */
const BLOCK = 1_000;

/**
 * The rows of a run or a file that a filter finds, as the pages list them.
 *
 * @param filter as addresses of the pages have it, for instance `reason=wrong_answer&sort=-tokens`
 * @throws UserError for what is neither a run nor a file of rows, for a filter that is none, and at the end where not all
 * could be read
 */
export async function* listRows(name: string, filter: string): AsyncGenerator<RowAnswer> {
  const wanted = parseRowFilter(new URLSearchParams(filter));
  const sources = await Sources.find([name]);
  try {
    const { live } = await sources.open(sources.opened[0]!.name);
    await live.grow();
    const { rows } = live.query(wanted);
    for (let from = 0; from < rows.length; from += BLOCK)
      yield* rowAnswers(live.index, rows.subarray(from, from + BLOCK));
    // What could be read has been listed.
    const { problem } = live.progress;
    if (problem !== undefined) throw new UserError(problem);
  } finally {
    await sources.close();
  }
}

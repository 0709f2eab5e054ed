import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { rejects, says, startTinyServer } from '../teachers/support/startTinyServer.ts';

/** A question that a solver was asked. */
interface AskedQuestion {
  readonly system: string;
  readonly question: string;
  /** The request's seed: of the try `n` it is `sampling.seed` and `n`. */
  readonly seed: number;
}

/** A chat endpoint that answers questions at once. */
export interface Solver {
  readonly baseUrl: string;
  /** Questions that get an answer, as `seed question`, in the order in which they came. */
  readonly answered: readonly string[];
}

/** Starts a chat endpoint on the loopback for the length of a test: words, or a status without any. */
export async function startSolver(
  solve: (asked: AskedQuestion) => string | number,
  latencyMs = 0,
): Promise<Solver> {
  const answered: string[] = [];
  const usage = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };
  const server = await startTinyServer(async ({ path, body }) => {
    if (!path.endsWith('/completions')) return { body: { object: 'list', data: [] } };
    const { messages, seed = 0 } = body as unknown as { messages: { content: string }[]; seed?: number };
    const [system, user] = messages;
    const question = user!.content;
    const said = solve({ system: system!.content, question, seed });
    // Before its time has passed: no kill of its client can hide one.
    if (typeof said !== 'number') answered.push(`${seed} ${question}`);
    await delay(latencyMs);
    return typeof said === 'number' ? rejects(said, 'planted') : says(said, {}, {}, usage);
  });
  onTestFinished(() => server.close());
  return { baseUrl: server.baseUrl, answered };
}

import { request } from 'undici';
import { safeParseJson } from '../../base/json.ts';
import type { EnvironmentFacts } from '../../contract/trainingGate.ts';
import { rlEnvironmentSchema } from '../records/environment.ts';
import { rlScoreAnswerSchema } from '../records/score.ts';

/** Allows for a slow model judge. */
const TIMEOUT_MS = 120_000;

/**
 * Queries the environment server, and scores an empty trajectory to test the judge before a GPU is paid.
 *
 * @param env with `COA_RL_URL` and `COA_RL_TOKEN`
 * @param task whose rollout is scored; undefined: no test
 */
export async function environmentFacts(
  env: Readonly<Record<string, string | undefined>>,
  task: string | undefined,
): Promise<EnvironmentFacts> {
  const url = env.COA_RL_URL?.replace(/\/+$/, '');
  const unknown = { url: url ?? null, limits: null, judgeProblem: null };
  if (!url) return { ...unknown, problem: null };
  const headers = env.COA_RL_TOKEN ? { authorization: `Bearer ${env.COA_RL_TOKEN}` } : {};
  const described = await ask(`${url}/v1/environment`, headers);
  if (described.problem !== null) return { ...unknown, problem: described.problem };
  const environment = rlEnvironmentSchema.safeParse(described.body);
  if (!environment.success)
    return { ...unknown, problem: 'the server there is not coa-distill serve rl of this version' };
  const { limits } = environment.data;
  return {
    url,
    problem: null,
    limits,
    judgeProblem:
      task === undefined ? null : await judgeProblem(url, headers, task, limits.max_response_tokens),
  };
}

async function judgeProblem(
  url: string,
  headers: Record<string, string>,
  task: string,
  maxResponseTokens: number,
): Promise<string | null> {
  const { problem, body } = await ask(`${url}/v1/score`, headers, {
    task_id: task,
    segments: [{ origin: 'model', text: '<answer>probe</answer>' }],
    end_reason: 'answer',
    response_tokens: 8,
    max_response_tokens: maxResponseTokens,
  });
  if (problem !== null) return problem;
  const verdict = rlScoreAnswerSchema.safeParse(body);
  if (!verdict.success) return 'its answer is not a score';
  const { unscored } = verdict.data;
  return unscored && `${unscored.cause}: ${unscored.message}`;
}

interface Answer {
  readonly problem: string | null;
  readonly body: unknown;
}

async function ask(url: string, headers: Record<string, string>, body?: object): Promise<Answer> {
  try {
    const { statusCode, body: answer } = await request(url, {
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (statusCode !== 200)
      return { problem: `it answers ${statusCode}: ${text.slice(0, 200)}`, body: undefined };
    const parsed = safeParseJson(text);
    return parsed.ok
      ? { problem: null, body: parsed.value }
      : { problem: 'its answer is not JSON', body: undefined };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { problem: `it does not answer (${message || code})`, body: undefined };
  }
}

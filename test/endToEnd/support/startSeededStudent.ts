import { goesOn } from '../../teachers/support/player.ts';
import { rejects, startTinyServer } from '../../teachers/support/startTinyServer.ts';
import type { SeededDraws } from './seededDraws.ts';

/**
 * A CoA model that answers each task of `createProject` at once, from memory: right or wrong as its draws say, by the
 * task in the prompt and the rollout in the request's seed. `asked`: how often each rollout was asked for.
 */
export async function startSeededStudent(draws: SeededDraws) {
  const asked = new Map<string, number>();
  const server = await startTinyServer(({ path, body }) => {
    if (path !== '/v1/completions') return { body: { object: 'list', data: [] } };
    const [, town] = /Question: Which river flows past town number (\d+)\?/.exec(String(body.prompt))!;
    const rollout = `${town} ${body.seed}`;
    const times = (asked.get(rollout) ?? 0) + 1;
    asked.set(rollout, times);
    const fate = draws.fate(rollout);
    if (fate === 'down' || (times === 1 && draws.isIll(rollout))) return rejects(500, 'planted');
    if (fate === 'broken') return goesOn('<think>I give up.</think>\n');
    const answer = fate === 'right' ? `river ${town}` : 'the sea';
    const plan = `<plan>Recall it, try ${body.seed}.</plan>`;
    return goesOn(`<think>One hop.</think>\n${plan}\n<think>So it is.</think>\n<answer>${answer}</answer>`);
  });
  return { baseUrl: server.baseUrl, asked, close: server.close };
}

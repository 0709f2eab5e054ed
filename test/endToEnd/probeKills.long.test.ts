import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createProject, jsonLines, riverTasks } from '../cli/support/project.ts';
import { cases } from '../support/cases.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { startSolver } from '../support/startSolver.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { cachedModelAnswers, interrupt } from './support/interruptedRun.ts';

const kills = cases(6, 'COA_KILLS');
const seed = Number(process.env.COA_KILL_SEED ?? 1);
const CONCURRENCY = 4;
const TASKS = 30;
const TRIES = 4;

test(
  `a probe that is killed ${kills} times (seed ${seed}) gives the same bytes and repeats no answered call`,
  async () => {
    const solver = await startSolver(({ question, seed: nth }) => {
      const n = Number(/\d+/.exec(question)![0]);
      return `<answer>${nth < n % 5 ? `river ${n}` : 'the sea'}</answer>`;
    }, 10);
    const tasks = riverTasks(TASKS);
    const cwd = createProject({
      tasks: jsonLines(tasks),
      teacher: '{ backend: answer_key, planted: { wrong_answer: 0.2 } }',
      more: `probe:
  model: small
  tries: ${TRIES}
  sampling: { seed: 0 }
  endpoint: { base_url: "${solver.baseUrl}", api_key_env: "", concurrency: ${CONCURRENCY} }
  max_pass_rate: 0.5
target: { rows: 12 }
`,
    });
    const run = join(cwd, 'runs/coa');
    const dataset = () => folderHashes(join(run, 'dataset'));
    const forever = () => new Promise<void>(() => {});
    const whole = await interrupt(cwd, run, 'SIGKILL', forever);
    expect(whole.code, whole.stderr).toBe(0);
    const [undisturbed, asked] = [dataset(), solver.answered.toSorted()];
    expect(new Set(asked).size).toBe(asked.length);
    rmSync(run, { recursive: true });

    // More than are needed: a moment may come after the run's end, which is no kill.
    const moments = fc.sample(fc.noBias(fc.integer({ min: 1, max: 30 })), { numRuns: 8 * kills, seed });
    let [killed, begun, inFlight] = [0, solver.answered.length, 0];
    for (const more of moments) {
      const until = solver.answered.length + more;
      const { code, stderr } = await interrupt(cwd, run, 'SIGKILL', () =>
        waitUntil(`answer ${until}`, () => solver.answered.length >= until, { everyMs: 1 }),
      );
      expect([null, 0], stderr).toContain(code);
      // Once this is answered, what was sent before has come.
      await (await fetch(solver.baseUrl)).text();
      // Every answer is in the cache, or was on its way at a kill: from the endpoint, or to the disk, while another is asked.
      const lost = solver.answered.length - begun - inFlight - cachedModelAnswers(run, 'small');
      expect(lost).toBeGreaterThanOrEqual(0);
      expect(lost).toBeLessThanOrEqual(2 * CONCURRENCY);
      inFlight += lost;
      if (code === null && ++killed < kills) continue;
      if (code === null) {
        const last = await interrupt(cwd, run, 'SIGKILL', forever);
        expect(last.code, last.stderr).toBe(0);
      }
      expect(dataset()).toEqual(undisturbed);
      const requests = solver.answered.slice(begun);
      expect([...new Set(requests)].sort()).toEqual(asked);
      // What was in flight at a kill is asked again, and nothing else.
      expect(requests.length - asked.length).toBe(inFlight);
      if (killed === kills) break;
      rmSync(run, { recursive: true });
      [begun, inFlight] = [solver.answered.length, 0];
    }
    expect(killed).toBe(kills);
  },
  300_000 + kills * 20_000,
);

/** A process for `openSandboxProcess` that runs nothing, and answers as the fault of a program says. */
import type { RunnerAnswer, RunnerRequest } from '../../../tools/sandbox/programRunner.ts';
import { FaultyAnswers, type Question } from './faults.ts';

const say = (answer: RunnerAnswer) => process.send!(answer);
const answers = new FaultyAnswers<string>(
  (id, value) => {
    const result = { kind: 'exited', exitCode: 0, stdout: String(value), stderr: '', durationMs: 1 } as const;
    say({ id, kind: 'ended', result });
  },
  (id) => `${id}x`,
);
process.on('message', (request: RunnerRequest) => {
  if (request.kind === 'create') say({ id: request.id, kind: 'created', name: 'bubblewrap', isolates: true });
  if (request.kind === 'run') answers.take(request.id, JSON.parse(request.program.code) as Question);
  if (request.kind === 'close') process.exit();
});
process.on('disconnect', () => process.exit());

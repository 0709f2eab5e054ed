import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Trace } from '../../schemas/trace.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { runWell } from '../cli/support/runCli.ts';
import { examplesFolder } from '../examples/support/examplesFolder.ts';
import { readJsonLines } from '../pipeline/support/runFake.ts';
import { sharedFolder } from './support/sharedFolder.ts';

const folder = sharedFolder();
const plays = ['shared', 'per_role'].flatMap((layout) =>
  ['merged', 'apart'].map((turns) => ({ layout, turns, name: `${layout}-${turns}` })),
);

/** Of each profile's tasks every fifth is played. */
const EVERY = 5;

beforeAll(async () => {
  cpSync(examplesFolder, folder, { recursive: true });
  for (const profile of ['web', 'mhqa', 'math', 'code']) {
    const file = join(folder, 'tasks', `${profile}.jsonl`);
    const rows = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, rows.filter((_, at) => at % EVERY === 0).join('\n'));
  }
  for (const { layout, turns, name } of plays) {
    const settings = ['--set', 'runs_dir=runs'].concat([
      '--set',
      `teacher.layout=${layout}`,
      '--set',
      `teacher.turns=${turns}`,
    ]);
    const args = ['run', 'quickstart.yaml', '--name', name, '--until', 'convert', ...settings];
    await runWell(args, { cwd: folder });
  }
});

function recordsOf<T>(name: string, stage: string): T[] {
  const lines = readJsonLines(join(folder, 'runs', name, stage, 'records.jsonl'));
  return lines.flatMap(({ records }) => (records ?? []) as T[]);
}

test('a trajectory is the same in all layouts, merged or apart', () => {
  const written = plays.map(({ name }) =>
    recordsOf<Trajectory>(name, 'convert')
      .map(({ task_id, segments }) => ({ task_id, segments: segments.map(({ event, ...words }) => words) }))
      .sort((a, b) => a.task_id.localeCompare(b.task_id)),
  );
  expect(written[0]!.length).toBeGreaterThan(10);
  for (const others of written.slice(1)) expect(others).toEqual(written[0]);
});

/** Most new characters of a call apart from its choice, in the mean: what a merged call writes in two calls' place. */
const mostNew = { web: 1500, mhqa: 1000 } as const;

/** Mean calls of a rollout, and their characters behind the longest beginning that an earlier call of it had. */
function newCharacters(name: string, profile: string): { readonly calls: number; readonly chars: number } {
  const traces = recordsOf<Trace>(name, 'rollout').filter((trace) => trace.profile === profile);
  const counts = traces.map(({ events, messages }) => {
    const sent = events.flatMap((event) =>
      event.type === 'agent_call' ? [JSON.stringify(event.messages.map((id) => messages[id]))] : [],
    );
    const fresh = sent.map(
      (text, at) => text.length - Math.max(0, ...sent.slice(0, at).map(sharedWith(text))),
    );
    return { calls: sent.length, chars: fresh.reduce((sum, chars) => sum + chars, 0) };
  });
  const mean = (key: 'calls' | 'chars') => counts.reduce((sum, of) => sum + of[key], 0) / counts.length;
  return { calls: mean('calls'), chars: mean('chars') };
}

function sharedWith(text: string) {
  return (other: string): number => {
    let at = 0;
    while (at < text.length && text[at] === other[at]) at++;
    return at;
  };
}

test.each(['web', 'mhqa'] as const)('calls of %s send little that no earlier call began with', (profile) => {
  const [merged, apart, perRole, perRoleApart] = plays.map(({ name }) => newCharacters(name, profile));
  expect(apart!.chars / apart!.calls).toBeLessThanOrEqual(mostNew[profile]);
  expect(merged!.chars / apart!.calls).toBeLessThanOrEqual(mostNew[profile]);
  expect(merged!.calls).toBeLessThan(0.6 * apart!.calls);
  expect(merged!.chars).toBeLessThan(0.4 * perRoleApart!.chars);
  expect(perRole!.calls).toBe(merged!.calls);
});

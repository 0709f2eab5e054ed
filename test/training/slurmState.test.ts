import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSacct, parseScontrol, slurmState } from '../../training/launchers/slurm/slurmLauncher.ts';

/** A line of Slurm 22.05, with a name that looks like fields. */
const line = (fields: string): string =>
  `JobId=7 JobName=JobState=FAILED UserId=me(1000) GroupId=me(1000) MCS_label=N/A Priority=1 Nice=0 Account=(null) QOS=(null) ${fields} RunTime=00:00:01 Partition=main Command=/x/job.sbatch WorkDir=/x Power= \n`;
describe('scontrol', () => {
  test.each([
    ['PENDING', 'Resources', '0:0', { kind: 'queued', reason: 'Resources' }],
    ['PENDING', 'BeginTime', '0:15', { kind: 'queued', reason: 'BeginTime' }],
    ['REQUEUED', 'None', '0:0', { kind: 'queued', reason: 'requeued' }],
    ...['RUNNING', 'COMPLETING', 'SUSPENDED', 'STAGE_OUT'].map(
      (state) => [state, 'None', '0:0', { kind: 'running' }] as const,
    ),
    ['COMPLETED', 'None', '0:0', { kind: 'ended', exitCode: 0, outOfMemory: false }],
    ['FAILED', 'NonZeroExitCode', '7:0', { exitCode: 7 }],
    ['FAILED', 'None', '0:9', { exitCode: 137 }],
    ['OUT_OF_MEMORY', 'OutOfMemory', '0:125', { outOfMemory: true }],
    [
      'NODE_FAIL',
      'NodeDown',
      '0:0',
      { exitCode: null, message: 'Slurm: the job ended as NODE_FAIL (NodeDown)' },
    ],
    ['TIMEOUT', 'TimeLimit', '0:0', { exitCode: 143 }],
  ] as const)('a job is %s because of %s with exit code %s', (state, reason, exitCode, expected) => {
    const fields = `JobState=${state} Reason=${reason} Dependency=(null) Restarts=1 ExitCode=${exitCode}`;
    expect(slurmState(parseScontrol(line(fields))!)).toMatchObject(expected);
  });

  test('an answer without a job is none', () => {
    expect(parseScontrol('')).toBeUndefined();
    expect(parseScontrol('slurm_load_jobs error: Invalid job id specified\n')).toBeUndefined();
  });
});

describe('sacct', () => {
  test('its line tells the same', () => {
    expect(parseSacct('COMPLETED|0:0|None\n')).toEqual({ state: 'COMPLETED', exitCode: '0:0', reason: '' });
    expect(slurmState(parseSacct('CANCELLED by 1000|0:15|None\n')!)).toMatchObject({
      kind: 'ended',
      exitCode: 143,
      message: 'Slurm: the job ended as CANCELLED',
    });
    expect(parseSacct('\n')).toBeUndefined();
  });
});

test('only COMPLETED ends well, whatever the exit code says', () => {
  const state = fc.constantFrom('FAILED', 'CANCELLED', 'TIMEOUT', 'PREEMPTED', 'DEADLINE', 'NODE_FAIL');
  fc.assert(
    fc.property(state, fc.nat(255), fc.nat(64), (name, code, signal) => {
      const ended = slurmState({ state: name, reason: '', exitCode: `${code}:${signal}` });
      expect(ended).toMatchObject({ kind: 'ended' });
      expect(ended).not.toMatchObject({ exitCode: 0 });
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSacct, parseScontrol, slurmState } from '../../training/launchers/slurm/slurmState.ts';

/** A line of Slurm 22.05, with a name that looks like fields. */
const line = (fields: string): string =>
  `JobId=7 JobName=JobState=FAILED UserId=me(1000) GroupId=me(1000) MCS_label=N/A Priority=1 Nice=0 Account=(null) QOS=(null) ${fields} RunTime=00:00:01 Partition=main Command=/x/job.sbatch WorkDir=/x Power= \n`;
const said = (fields: string) => slurmState(parseScontrol(line(fields))!);

describe('scontrol', () => {
  test('a job that waits says why; one that was put back waits again', () => {
    expect(said('JobState=PENDING Reason=Resources Dependency=(null) Restarts=0 ExitCode=0:0')).toEqual({
      kind: 'queued',
      reason: 'Resources',
    });
    expect(said('JobState=PENDING Reason=BeginTime Dependency=(null) Restarts=1 ExitCode=0:15')).toEqual({
      kind: 'queued',
      reason: 'BeginTime',
    });
    expect(said('JobState=REQUEUED Reason=None ExitCode=0:0')).toEqual({
      kind: 'queued',
      reason: 'requeued',
    });
  });

  test('a job that is being tidied up still runs', () => {
    for (const state of ['RUNNING', 'COMPLETING', 'SUSPENDED', 'STAGE_OUT'])
      expect(said(`JobState=${state} Reason=None ExitCode=0:0`)).toEqual({ kind: 'running' });
  });

  test('a job that ended has its exit code, or that of its signal', () => {
    expect(said('JobState=COMPLETED Reason=None ExitCode=0:0')).toEqual({
      kind: 'ended',
      exitCode: 0,
      outOfMemory: false,
    });
    expect(said('JobState=FAILED Reason=NonZeroExitCode ExitCode=7:0')).toMatchObject({ exitCode: 7 });
    expect(said('JobState=FAILED Reason=None ExitCode=0:9')).toMatchObject({ exitCode: 137 });
    expect(said('JobState=OUT_OF_MEMORY Reason=OutOfMemory ExitCode=0:125')).toMatchObject({
      outOfMemory: true,
    });
    expect(said('JobState=NODE_FAIL Reason=NodeDown ExitCode=0:0')).toMatchObject({
      exitCode: null,
      message: 'Slurm: the job ended as NODE_FAIL (NodeDown)',
    });
    expect(said('JobState=TIMEOUT Reason=TimeLimit ExitCode=0:0')).toMatchObject({ exitCode: 143 });
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

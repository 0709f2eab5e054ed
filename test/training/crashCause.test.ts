import { describe, expect, test } from 'vitest';
import { jobEndLines } from '../../cli/train/printJobStatus.ts';
import { type CrashCause, crashCauses, type TrainingCurve } from '../../schemas/training/jobRecord.ts';
import { causeAdvice, crashCause, plainConsole } from '../../training/causes/crashCause.ts';
import { attemptEnd } from '../../training/closeAttempt.ts';
import { torchFailures } from '../../training/trainers/torchFailures.ts';

const traceback = (message: string) => `[INFO|2026-11-21 13:01:30] loading
Traceback (most recent call last):
  File "<frozen runpy>", line 198, in _run_module_as_main
  File "trainer.py", line 1, in train
    step()
${message}
  0%|          | 0/4 [00:00<?, ?it/s]
`;

const crash = (console: string, changed: Partial<Parameters<typeof crashCause>[0]> = {}) =>
  crashCause({ signs: torchFailures, exitCode: 1, outOfMemory: false, fromStep: 0, console, ...changed });

/** Messages as torch, transformers, verl and Python print them. */
const messages: readonly [CrashCause, string][] = [
  [
    'gpu_out_of_memory',
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.32 GiB. GPU 0 has a total capacity of 79.15 GiB',
  ],
  ['gpu_out_of_memory', 'RuntimeError: CUDA error: out of memory'],
  ['disk_full', 'OSError: [Errno 28] No space left on device'],
  ['disk_full', 'RuntimeError: [enforce fail at inline_container.cc:672] . unexpected pos 6400 vs 6292'],
  [
    'disk_full',
    'safetensors_rust.SafetensorError: Error while serializing: IoError(Os { code: 28, kind: StorageFull, message: "No space left on device" })',
  ],
  [
    'host_out_of_memory',
    "RuntimeError: [enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 4862 bytes.",
  ],
  ['host_out_of_memory', 'OSError: [Errno 12] Cannot allocate memory'],
  [
    'port_in_use',
    'torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use',
  ],
  ['missing_package', "ModuleNotFoundError: No module named 'deepspeed'"],
  [
    'missing_package',
    'importlib.metadata.PackageNotFoundError: No package metadata was found for liger-kernel',
  ],
  [
    'rendezvous_timeout',
    'torch.distributed.DistNetworkError: The client socket has timed out after 60000ms while trying to connect to (10.0.0.1, 29500).',
  ],
  [
    'rendezvous_timeout',
    'torch.distributed.DistBackendError: [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE)',
  ],
  ['rendezvous_timeout', 'torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError'],
  [
    'wrong_model',
    "OSError: /m does not appear to have a file named config.json. Checkout 'https://huggingface.co//m/tree/main' for available files.",
  ],
  ['wrong_model', 'ValueError: Unrecognized model in /m. Should have a `model_type` key in its config.json.'],
  [
    'wrong_model',
    'RuntimeError: You set `ignore_mismatched_sizes` to `False`, thus raising an error. For details look at the above report!',
  ],
  [
    'wrong_model',
    'safetensors_rust.SafetensorError: Error while deserializing header: incomplete metadata, file not fully covered',
  ],
];

const unreadable =
  'RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory';

describe('a cause is recognised, and the last words are the trainer’s own:', () => {
  test.each(messages)('%s: %s', (cause, message) => {
    const report = crash(traceback(message));
    expect(report.cause).toBe(cause);
    expect(report.lastWords).toContain(message);
    expect(report.lastWords).toContain('step()');
    expect(report.lastWords).not.toContain('0/4');
  });

  test.each([
    ['broken_checkpoint', traceback(unreadable), { fromStep: 4 }],
    ['wrong_model', traceback(unreadable), {}],
    // By the kernel's count of the job's own processes.
    ['host_out_of_memory', 'loading', { exitCode: 137, outOfMemory: true }],
    ['killed', 'loading', { exitCode: 137 }],
    // Memory that the machine was short of ends only a process that was killed.
    ['host_out_of_memory', 'loading', { exitCode: 137, machineOutOfMemory: true }],
    ['host_out_of_memory', 'traceback : Signal 9 (SIGKILL) received by PID 7', { machineOutOfMemory: true }],
    [
      'missing_package',
      traceback("ModuleNotFoundError: No module named 'peft'"),
      { machineOutOfMemory: true },
    ],
    ['missing_program', 'run.sh: line 9: python: command not found', { exitCode: 127 }],
    // A warning on the way is not the cause where the error says another.
    [
      'gpu_out_of_memory',
      `warning: No module named flash_attn\n${traceback('torch.OutOfMemoryError: CUDA out of memory.')}`,
      {},
    ],
  ] as const)('%s of %j with %j', (cause, console, changed) => {
    expect(crash(console, changed).cause).toBe(cause);
  });

  test('an unknown error has no cause, and its words all the same', () => {
    const report = crash(traceback("KeyError: 'input_ids'"));
    expect(report).toEqual({
      cause: null,
      lastWords: expect.stringContaining("step()\nKeyError: 'input_ids'"),
    });
  });

  test('the first of errors that led to one another is told too', () => {
    const console = `${traceback("ModuleNotFoundError: No module named 'peft'")}
The above exception was the direct cause of the following exception:

${traceback("RuntimeError: Could not import module 'Trainer'.").replace(/^.*\n/, '')}`;
    const { cause, lastWords } = crash(console);
    expect(cause).toBe('missing_package');
    expect(lastWords.split('\n')[0]).toBe("ModuleNotFoundError: No module named 'peft'");
    expect(lastWords.split('\n').at(-1)).toBe("RuntimeError: Could not import module 'Trainer'.");
  });

  test('a worker’s error counts, not what torchrun says of the worker', () => {
    const worker = traceback('torch.OutOfMemoryError: CUDA out of memory.').replace(/^(?=.)/gm, '[rank1]: ');
    const { cause, lastWords } = crash(
      `${worker}${traceback('torch.distributed.elastic.multiprocessing.errors.ChildFailedError:')}`,
    );
    expect(cause).toBe('gpu_out_of_memory');
    expect(lastWords).toContain('CUDA out of memory');
    expect(lastWords).not.toContain('ChildFailedError');
  });
});

test('every cause has an advice', () => {
  expect(Object.keys(causeAdvice).sort()).toEqual(Object.keys(crashCauses).sort());
});

test('colours, progress bars and what they draw over are no text', () => {
  const console =
    '\u001b[31mred\u001b[0m\n  0%|   | 0/4 [00:00<?]\r 50%|#  | 2/4 [00:01<00:01]\rsaving\n\u001b]0;title\u0007x\n\n';
  expect(plainConsole(console)).toEqual(['red', 'saving', 'x']);
});

test('of an endless line only the beginning is looked at', () => {
  expect(plainConsole(`${'1'.repeat(100_000)}\n${'1%|'.repeat(50_000)}`)).toEqual([
    '1'.repeat(2_000),
    '1%|'.repeat(700).slice(0, 2_000),
  ]);
  expect(plainConsole(`Loading: 100%|${'#'.repeat(200)}| 9/9 [00:01<00:00]`)).toEqual([]);
});

const curve = (losses: readonly (number | null)[]): TrainingCurve => ({
  steps: losses.map((loss, n) => ({ step: n + 1, loss, learning_rate: 1e-5 })),
  validation: [],
  latest_step: losses.length,
  elapsed_ms: null,
  total_steps: null,
});

describe('an attempt that ended', () => {
  const attempt = { from_step: 0, stop_requested: false };
  const state = { kind: 'ended', exitCode: 0, outOfMemory: false } as const;
  const end = (changed: Partial<Parameters<typeof attemptEnd>[0]>) =>
    attemptEnd({
      attempt,
      state,
      curve: curve([3, 2, 1]),
      console: 'done',
      plannedSteps: 3,
      signs: torchFailures,
      ...changed,
    });

  const stopped = { from_step: 0, stop_requested: true };
  const [nanWords, missingWords] = ['the loss is not a number from step 2 on', '3 of 6 steps were logged'];

  test.each([
    ['finished', {}, { exit_code: 0, cause: null, last_words: 'done' }],
    // So verl ends when it loses an epoch.
    ['failed', { plannedSteps: 6 }, { cause: 'steps_missing', last_words: missingWords }],
    ['failed', { curve: curve([3, null, null]) }, { cause: 'nan_loss', last_words: nanWords }],
    // Whatever it printed.
    [
      'stopped',
      { attempt: stopped, state: { ...state, exitCode: 143 }, console: traceback('E: x') },
      { cause: null },
    ],
    ['finished', { attempt: stopped }, {}],
    // It saved and ended by itself.
    ['stopped', { attempt: stopped, plannedSteps: 6 }, { cause: null }],
    ['lost', { state: { ...state, exitCode: null } }, { exit_code: null }],
  ] as const)('is %s with %j', (outcome, changed, expected) => {
    expect(end(changed)).toMatchObject({ outcome, ...expected });
  });

  test.each([
    ['stopped', true, 143],
    ['stopped', true, 0],
    ['failed', false, 137],
    ['lost', false, null],
  ] as const)(
    '%s, with a loss that is not a number, has that as its cause',
    (outcome, stop_requested, exitCode) => {
      const ended = end({
        attempt: { from_step: 0, stop_requested },
        state: { ...state, exitCode },
        curve: curve([3, null]),
      });
      expect(ended).toMatchObject({ outcome, cause: 'nan_loss', last_words: nanWords });
      expect(jobEndLines('t/sft', ended).join('\n')).not.toContain('train resume');
    },
  );
});

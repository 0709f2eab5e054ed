// Needs bubblewrap, python3, python3-numpy.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Bitset } from '../../base/bitset.ts';
import { isFolderHeld, lockFolder } from '../../base/files/lockFolder.ts';
import { cutTornLine } from '../../base/journal/cutTornLine.ts';
import { Journal } from '../../base/journal/journal.ts';
import { readLines } from '../../base/journal/readLines.ts';
import { scanJournal } from '../../base/journal/scanJournal.ts';
import { processIdentity } from '../../base/processes/processIdentity.ts';
import { LineIndex } from '../../pipeline/run/lineIndex.ts';
import { cases } from '../support/cases.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Rounds in which processes, or two PID namespaces, want one run; a campaign sets more. */
const processRounds = cases(40, 'COA_LOCK_ROUNDS');
const namespaceRounds = cases(10, 'COA_LOCK_ROUNDS');

test('an index set is a set', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5_000)), (numbers) => {
      const set = new Bitset();
      const known = new Set<number>();
      for (const number of numbers) {
        expect(set.add(number)).toBe(!known.has(number));
        known.add(number);
      }
      expect(set.size).toBe(known.size);
      for (let number = 0; number <= 5_001; number += 7) expect(set.has(number)).toBe(known.has(number));
    }),
  );
});

test('a line index keeps places past 4 GiB and sorts by input', () => {
  const lines = new LineIndex();
  const size = 3_000;
  for (let line = 0; line < size; line++) {
    lines.add({ index: size - line, count: 2, offset: line * 2 ** 33, length: line });
  }
  expect(lines.at(2_999)).toEqual({ index: 1, count: 2, offset: 2_999 * 2 ** 33, length: 2_999 });
  expect([...lines.inInputOrder()]).toEqual(Array.from({ length: size }, (_, line) => size - 1 - line));
});

test('lines are read as they were written, whatever they hold', async () => {
  const path = join(temporaryFolder(), 'lines');
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''));
  await fc.assert(
    fc.asyncProperty(fc.array(line), line, async (lines, torn) => {
      writeFileSync(path, lines.map((text) => `${text}\n`).join('') + torn);
      const read: string[] = [];
      for await (const { bytes, offset, whole } of readLines(path)) {
        const text = bytes.toString('utf8');
        expect(
          readFileSync(path)
            .subarray(offset, offset + bytes.length)
            .toString('utf8'),
        ).toBe(text);
        expect(whole).toBe(read.length < lines.length);
        read.push(text);
      }
      expect(read).toEqual(torn === '' ? lines : [...lines, torn]);
    }),
    { numRuns: 30 },
  );
});

describe('a journal', () => {
  test('holds what was appended, in order, over several openings', async () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    for (let opening = 0; opening < 3; opening++) {
      const journal = await Journal.open(path, await scanJournal(path, () => {}));
      const before = existsSync(path) ? readFileSync(path).length : 0;
      expect(journal.end).toBe(before);
      for (let n = 0; n < 50; n++) journal.append({ opening, n, text: 'ü\n' });
      await journal.flush();
      expect(journal.end).toBe(readFileSync(path).length);
      await journal.close();
    }
    const lines = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ opening, n }) => opening * 50 + n)).toEqual(Array.from({ length: 150 }, (_, n) => n));
  });

  test('says which file a full disk cut short', async () => {
    const journal = await Journal.open('/dev/full', 0);
    journal.append({ a: 1 });
    await expect(journal.flush()).rejects.toThrow(/cannot write \/dev\/full: the disk is full \(ENOSPC\)/);
    journal.append({ a: 2 });
    await expect(journal.close()).rejects.toThrow(/ENOSPC/);
  });

  test('cuts a torn line off, also one that a power cut filled with zeros', async () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    for (const tail of ['{"a":', '\0\0\0\n', '{"a":1']) {
      writeFileSync(path, `{"a":0}\n${tail}`);
      const seen: string[] = [];
      expect(await scanJournal(path, ({ bytes }) => seen.push(bytes.toString()))).toBe(8);
      expect(seen).toEqual(['{"a":0}']);
      expect(readFileSync(path, 'utf8')).toBe('{"a":0}\n');
    }
  });
});

test('of a log only a torn last line is cut off, whatever stands before it', async () => {
  const path = join(temporaryFolder(), 'events.jsonl');
  expect(await cutTornLine(path)).toBe(0);
  const line = fc.oneof(
    fc.constantFrom('', '{"event":"run_started"}', '\0\0\0', 'é'),
    fc.constant('x'.repeat(70_000)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line), line, async (whole, torn) => {
      const kept = whole.map((text) => `${text}\n`).join('');
      writeFileSync(path, kept + torn);
      expect(await cutTornLine(path)).toBe(Buffer.byteLength(kept));
      expect(readFileSync(path, 'utf8')).toBe(kept);
    }),
    { numRuns: 50 },
  );
});

describe('a run lock', () => {
  test('is held by one, who is named, and free again afterwards', async () => {
    const folder = temporaryFolder();
    const unlock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${process.pid} on ${hostname()}`);
    await unlock();
    await (await lockFolder(folder))();
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['of a process that has ended', { pid: 2 ** 22 + 1, host: hostname(), process_identity: null }],
    [
      'of an earlier process with the same id',
      { pid: process.pid, host: hostname(), process_identity: 'boot/1' },
    ],
    ['that is damaged', 'half'],
  ])('%s is stale', async (_title, lock) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'lock.json'), JSON.stringify(lock));
    await (await lockFolder(folder))();
  });

  test.each([
    ['processes', 5, processRounds, []],
    // As containers on a shared volume: no process is seen by another, and their ids are equal.
    [
      'PID namespaces',
      2,
      namespaceRounds,
      ['bwrap', '--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc'],
    ],
  ])(
    'is had by one of many %s that want a folder at once, new or left with a stale lock',
    async (_kind, size, rounds, through) => {
      const processes: ChildProcess[] = [];
      onTestFinished(() => processes.forEach((child) => void child.kill('SIGKILL')));
      // One after another: in two namespaces at once they would have one id and one start time.
      while (processes.length < size)
        await once(processes[processes.push(startOpener(through)) - 1]!, 'message');
      const runs = temporaryFolder();
      for (let round = 0; round < rounds; round++) {
        const folder = join(runs, String(round));
        const stale = { pid: 2 ** 22 + 1, host: hostname(), process_identity: null };
        if (round % 2 === 0) mkdirSync(folder);
        if (round % 2 === 0) writeFileSync(join(folder, 'lock.json'), JSON.stringify(stale));
        const answers = await Promise.all(processes.map((child) => ask(child, folder)));
        const others = answers.filter((answer) => answer !== 'held');
        expect(others).toHaveLength(processes.length - 1);
        for (const answer of others) expect(answer).toMatch(/in use by process \d+ on /);
        // Those who came too late took nothing of the holder's away.
        expect(readdirSync(folder).sort()).toEqual(['lock', 'lock.json', 'run.json']);
        // Nor does one who comes later find it free, or status say so.
        expect(await ask(processes[round % size]!, folder)).toContain('in use by process');
        expect(await isFolderHeld(folder)).toBe(true);
      }
    },
  );

  test('names who has it, however late he writes his name', async () => {
    const folder = join(temporaryFolder(), 'run');
    const child = startOpener([]);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'message');
    expect(await ask(child, folder)).toBe('held');
    const file = join(folder, 'lock.json');
    const name = readFileSync(file);
    const ofOneWhoEnded = { pid: 2 ** 22 + 1, host: hostname(), process_identity: null };
    for (const left of ['', JSON.stringify(ofOneWhoEnded)]) {
      writeFileSync(file, left);
      setTimeout(() => writeFileSync(file, name), 300);
      await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${child.pid} on`);
    }
  });

  test('goes with its process, whatever is left in the folder', async () => {
    const folder = join(temporaryFolder(), 'run');
    const child = startOpener([]);
    await once(child, 'message');
    expect(await ask(child, folder)).toBe('held');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(join(folder, 'lock.json'))).toBe(true);
    expect(await isFolderHeld(folder)).toBe(false);
    await (await lockFolder(folder))();
  });

  test('keeps others out although somebody removed its file', async () => {
    const folder = temporaryFolder();
    const unlock = await lockFolder(folder);
    rmSync(join(folder, 'lock'));
    await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${process.pid}`);
    await unlock();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of a container of this machine that has ended is stale, whatever its host name', async () => {
    const folder = temporaryFolder();
    const { pid } = process;
    const boot = processIdentity(pid)!.split('/')[0];
    const left = { pid, host: 'elsewhere', pid_namespace: 'pid:[1]', process_identity: `${boot}/1` };
    writeFileSync(join(folder, 'lock.json'), JSON.stringify(left));
    await (await lockFolder(folder))();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of another machine is not', async () => {
    const folder = join(temporaryFolder(), 'run');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'lock.json'),
      JSON.stringify({ pid: 1, host: 'elsewhere', process_identity: null }),
    );
    await expect(lockFolder(folder)).rejects.toThrow('in use by process 1 on elsewhere');
    expect(await isFolderHeld(folder)).toBe(true);
  });
});

/** A process that opens run folders when it is asked to, through another program where one is given. */
function startOpener(through: readonly string[]): ChildProcess {
  const program = new URL('support/openRunWhenAsked.ts', import.meta.url).pathname;
  const [command, ...args] = [...through, process.execPath, program];
  return spawn(command!, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

async function ask(child: ChildProcess, folder: string): Promise<string> {
  child.send(folder);
  return String((await once(child, 'message'))[0]);
}

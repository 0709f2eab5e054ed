// Needs bubblewrap, python3, python3-numpy.
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFull, someOf } from '../../support/cases.ts';
import { hasSucceeded } from './attacks/attack.ts';
import { attacks } from './attacks/attacks.ts';
import { supervisorAttacks } from './attacks/supervisorAttacks.ts';
import { type AttackWorld, openAttackWorld } from './support/attackWorld.ts';
import { type Driver, startDriver } from './support/startDriver.ts';
import { type RunningTargets, SECRET, startTargets } from './support/startTargets.ts';

const ORDINARY_UID = 65_534;
const ownUid = process.getuid!();
/** Root tries both in `make test-all`. Where the tests are not run by root, only attacks that need none are proved. */
const users = ownUid !== 0 ? [ownUid] : isFull ? [0, ORDINARY_UID] : [0];
/** What the tests put into the folder. */
const belongsThere = /^(secret|appended|socket|tree|home-\d+)$/;
/** What reading 2 GB of output may cost. */
const MAX_GROWTH_BYTES = 100 << 20;

let running: RunningTargets;
const drivers = new Map<number, Driver>();

beforeAll(async () => {
  running = await startTargets();
  const { folder, secretVariable } = running.targets;
  for (const uid of users) drivers.set(uid, startDriver({ folder, secretVariable, uid }));
});

afterAll(async () => {
  for (const driver of drivers.values()) await driver.close();
  running.close();
});

test('there are at least 60 attacks, none of them twice', () => {
  expect(attacks.length).toBeGreaterThanOrEqual(60);
  expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
  expect(new Set(attacks.map(({ program, before }) => `${before} ${program}`)).size).toBe(attacks.length);
});

describe.each(users)('without a sandbox user %i', (uid) => {
  let world: AttackWorld;
  const proved = someOf(attacks).filter(({ needsRoot }) => uid === 0 || !needsRoot);

  beforeAll(async () => {
    world = await openAttackWorld(drivers.get(uid)!, 'bare', running.targets);
  });
  afterAll(() => world.close());

  test.concurrent.each(proved)('$name', async (attack) => {
    const run = await world.attack(attack);
    expect(hasSucceeded(attack, run), run.stderr || run.stdout).toBe(true);
  });
});

describe.each(users)('in bubblewrap user %i', (uid) => {
  let world: AttackWorld;
  let contactsBefore: number;

  beforeAll(async () => {
    truncateSync(path.join(running.targets.folder, 'appended'));
    contactsBefore = running.contacts();
    world = await openAttackWorld(drivers.get(uid)!, 'bubblewrap', running.targets);
  });
  afterAll(() => world.close());

  test.concurrent.each(someOf(attacks))('$name', async (attack) => {
    const run = await world.attack(attack);
    expect(run.failure).toBeUndefined();
    expect(run.stdout).toMatch(/^begun\n/);
    expect(run.victimLives).toBe(true);
    expect(hasSucceeded(attack, run)).toBe(false);
  });

  test.each(someOf(supervisorAttacks))('a program that $name has a result', async ({ program }) => {
    const reply = await world.run(program, { timeoutMs: 6_000 });
    expect(reply).toMatchObject({ result: { stdout: 'begun\n' } });
    expect(reply.result!.exitCode).not.toBeNaN();
  });

  test('a program that writes without end costs us little memory', async () => {
    const { peakBytes: before } = await world.run('');
    const program = `block = b'x' * MB\nwhile True:\n    os.write(1, block)\n    os.write(2, block)`;
    const { result, peakBytes: after } = await world.run(program);
    expect(result?.kind).toBe('output_limit');
    expect(after - before).toBeLessThan(MAX_GROWTH_BYTES);
  });

  test('none of them left anything on the host or reached it', () => {
    const { folder, secretFile } = running.targets;
    expect(running.contacts() - contactsBefore).toBe(0);
    expect(readdirSync(folder).filter((name) => !belongsThere.test(name))).toEqual([]);
    expect(statSync(path.join(folder, 'appended')).size).toBe(0);
    expect(readFileSync(secretFile, 'utf8')).toBe(SECRET);
    expect(statSync(secretFile).nlink).toBe(1);
  });
});

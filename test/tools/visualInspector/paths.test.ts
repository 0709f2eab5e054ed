import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readImageFile } from '../../../tools/visualInspector/readImageFile.ts';
import { sharedFolder } from '../../endToEnd/support/sharedFolder.ts';
import { cases } from '../../support/cases.ts';
import { openInspector } from './support/openInspector.ts';
import { sampleImages } from './support/sampleImages.ts';

const base = realpathSync(sharedFolder());
const folder = join(base, 'images');
const secret = join(base, 'secret.png');
/** An image that no agent may have looked at. */
const secretBytes = sampleImages.webp_lossless;
let secretFd = -1;
const socket = createServer();

beforeAll(async () => {
  mkdirSync(join(folder, 'sub'), { recursive: true });
  mkdirSync(join(base, 'images-of-others'));
  writeFileSync(secret, secretBytes);
  writeFileSync(join(base, 'images-of-others/secret.png'), secretBytes);
  writeFileSync(join(folder, 'own.png'), sampleImages.png);
  writeFileSync(join(folder, 'sub/own.gif'), sampleImages.gif);
  const link = (name: string, target: string) => symlinkSync(target, join(folder, name));
  secretFd = openSync(secret, 'r');
  link('absolute.png', secret);
  link('relative.png', '../secret.png');
  link('up', '..');
  link('sub/up', '../..');
  link('first.png', 'second.png');
  link('second.png', 'up/secret.png');
  link('neighbours', '../images-of-others');
  link('root', '/proc/self/root');
  link('descriptor.png', `/proc/self/fd/${secretFd}`);
  link('zeros.png', '/dev/zero');
  link('loop.png', 'loop.png');
  link('inside.png', 'sub/own.gif');
  execFileSync('mkfifo', [join(folder, 'pipe.png')]);
  socket.listen(join(folder, 'socket.png'));
  await once(socket, 'listening');
});
afterAll(() => {
  closeSync(secretFd);
  socket.close();
});

const asItIs = (path: string) => readFileSync(resolve(folder, path));
const isSecret = (bytes: Buffer) => bytes.equals(secretBytes);
const decoded = (path: string) => asItIs(decodeURIComponent(path));

/** A path, and what a careless reader gets of it: proof that there is something to get. */
const leaks: readonly [name: string, path: () => string, careless: (path: string) => Buffer][] = [
  ['the folder above', () => '../secret.png', asItIs],
  ['above by a folder below', () => 'sub/../../secret.png', asItIs],
  ['above after a dot', () => './../secret.png', asItIs],
  ['above, in again and above', () => '../images/../secret.png', asItIs],
  ['above by a file', () => 'own.png/../../secret.png', asItIs],
  ['a folder with the same beginning', () => '../images-of-others/secret.png', asItIs],
  ['an absolute path', () => secret, asItIs],
  ['an absolute path with two slashes', () => `/${secret}`, asItIs],
  ['an absolute path after a space', () => ` ${secret}`, (path) => asItIs(path.trim())],
  ['an absolute path inside, and out', () => join(folder, 'up/secret.png'), asItIs],
  ["the process's root", () => `/proc/self/root${secret}`, asItIs],
  ["the process's descriptors", () => `/proc/self/fd/${secretFd}`, asItIs],
  ['the devices of descriptors', () => `/dev/fd/${secretFd}`, asItIs],
  ["the user's home", () => '~/secret.png', (path) => asItIs(path.replace('~', base))],
  ['backslashes', () => '..\\secret.png', (path) => asItIs(path.replaceAll('\\', '/'))],
  [
    'a drive',
    () => `C:${secret.replaceAll('/', '\\')}`,
    (path) => asItIs(path.slice(2).replaceAll('\\', '/')),
  ],
  ['encoded dots', () => '%2e%2e/secret.png', decoded],
  ['an encoded slash', () => '..%2fsecret.png', decoded],
  ['dots twice encoded', () => '%252e%252e/secret.png', (path) => decoded(decodeURIComponent(path))],
  ['dots of double width', () => '．．/secret.png', (path) => asItIs(path.normalize('NFKC'))],
  [
    'dots that are left when dots are removed',
    () => '....//secret.png',
    (path) => asItIs(path.replace('../', '')),
  ],
  ['what stands before a NUL', () => '../secret.png\0.png', (path) => asItIs(path.split('\0')[0]!)],
  ['a file URL', () => `file://${secret}`, (path) => readFileSync(fileURLToPath(path))],
  ['a file URL in capitals', () => `FILE://${secret}`, (path) => readFileSync(fileURLToPath(path))],
  ['a file URL with a host', () => `file://localhost${secret}`, (path) => readFileSync(fileURLToPath(path))],
  ['an absolute link', () => 'absolute.png', asItIs],
  ['a relative link', () => 'relative.png', asItIs],
  ['a link to the folder above', () => 'up/secret.png', asItIs],
  ['a link further down', () => 'sub/up/secret.png', asItIs],
  ['a link to a link', () => 'first.png', asItIs],
  ['a link to a folder with the same beginning', () => 'neighbours/secret.png', asItIs],
  ["a link to the process's root", () => `root${secret}`, asItIs],
  ['a link to an open descriptor', () => 'descriptor.png', asItIs],
];

test.each(leaks)('nothing outside of the folder is seen by %s', async (_, path, careless) => {
  expect(isSecret(careless(path()))).toBe(true);
  const { see, requests } = await openInspector({ folder: { path: folder, maxBytes: 10_000 } });
  const observation = await see(path());
  expect(observation).toMatch(/^\[Image not accessible: /);
  expect(observation).not.toContain(base);
  expect(requests).toHaveLength(0);
});

describe('what is not a regular file is refused at once', () => {
  test.each([
    ['a pipe that nobody writes to', 'pipe.png', 'it is not a regular file'],
    ['a socket', 'socket.png', 'it is not a regular file'],
    ['a device without end', 'zeros.png', 'it leads out of the folder of images'],
    ['a folder', 'sub', 'it is not a regular file'],
    ['the folder itself', '.', 'it leads out of the folder of images'],
    ['a link to itself', 'loop.png', 'it leads out of the folder of images'],
    ['nothing', 'missing.png', 'there is no such file in the folder of images'],
    ['a file as a folder', 'own.png/x.png', 'there is no such file in the folder of images'],
    ['a name that is too long', `${'x'.repeat(300)}.png`, 'the path is too long'],
    [
      'a data URL',
      `data:image/png;base64,${sampleImages.png.toString('base64')}`,
      'only http and https addresses can be opened',
    ],
    ['another protocol', 'ftp://images.example/x.png', 'only http and https addresses can be opened'],
    ['a script', 'javascript:alert(1)', 'only http and https addresses can be opened'],
    ['a web address without a host', 'http://', 'it is not a valid web address'],
    [
      'a web address with a password',
      'http://user:word@images.example/x.png',
      'a web address must not hold a user or password',
    ],
  ])('%s', async (_, file_path, reason) => {
    const { see, requests } = await openInspector({ folder: { path: folder, maxBytes: 10_000 } });
    expect(await see(file_path)).toBe(`[Image not accessible: ${reason}]`);
    expect(requests).toHaveLength(0);
  });
});

test('images of the folder are seen, through links inside it too', async () => {
  const { see, requests } = await openInspector({ folder: { path: folder, maxBytes: 10_000 } });
  for (const file_path of ['own.png', './own.png', 'sub/own.gif', 'sub//own.gif', ' inside.png'])
    expect(await see(file_path)).toBe('a red box');
  const { png, gif } = sampleImages;
  expect(requests.map(({ image }) => image)).toEqual([png, png, gif, gif, gif]);
});

test('no path of such parts leads out, and none is a fault', async () => {
  const others = ['..', '.', '', 'images', 'secret.png', '~', '\0', '%2e%2e', base.slice(1)];
  const parts = fc.constantFrom(...others, ...readdirSync(folder));
  const segments = fc.array(parts, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(segments, fc.constantFrom('/', '/', '//', '\\'), async (names, separator) => {
      const read = await readImageFile({ path: folder, maxBytes: 10_000 }, names.join(separator));
      if (!read.ok) expect(read.reason).not.toContain(base);
      else expect([sampleImages.png, sampleImages.gif].some((own) => own.equals(read.bytes))).toBe(true);
    }),
    { numRuns: cases(2_000) },
  );
});

/** Programs that swap what lies below a path, for ever and as fast as the system can. */
const swappers: readonly (readonly [what: string, path: string, program: string])[] = [
  [
    'a link',
    'swapped.png',
    `for (;;) for (const target of ['own.png', '../secret.png']) {
      fs.symlinkSync(target, 'swapped.next');
      fs.renameSync('swapped.next', 'swapped.png');
    }`,
  ],
  [
    'a folder on the way',
    'moving/secret.png',
    `fs.mkdirSync('moving');
    fs.copyFileSync('own.png', 'moving/secret.png');
    fs.symlinkSync('..', 'outside');
    for (;;) for (const [from, to] of [['moving', 'kept'], ['outside', 'moving'], ['moving', 'outside'], ['kept', 'moving']]) {
      fs.renameSync(from, to);
    }`,
  ],
];

// Control and subject read the same name while it is swapped: it is a race that a check before the opening loses.
test.each(swappers)(
  '%s that is swapped between the check and the opening leads nowhere',
  async (_, path, program) => {
    const swapper = spawn(process.execPath, ['-e', program], { cwd: folder, stdio: 'ignore' });
    try {
      const careless = async () => {
        const target = await realpath(join(folder, path));
        return target.startsWith(`${folder}/`) && isSecret(await readFile(join(folder, path)));
      };
      for (let lost = 0; lost < 20; ) {
        if (await careless().catch(() => false)) lost++;
        const read = await readImageFile({ path: folder, maxBytes: 10_000 }, path);
        expect(read.ok && isSecret(read.bytes)).toBe(false);
      }
    } finally {
      swapper.kill('SIGKILL');
    }
  },
);

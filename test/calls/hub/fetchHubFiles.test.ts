import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FetchOptions, fetchHubFiles } from '../../../calls/hub/fetchHubFiles.ts';
import { type HubAddress, hubAddressText, parseHubAddress } from '../../../calls/hub/hubAddress.ts';
import { hubSettings } from '../../../calls/hub/hubClient.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { gitHash, hubToken, startHub, type TestHub } from './support/startHub.ts';

const large = randomBytes(300_000);
const repository = {
  'data/train-0.parquet': { content: large, isLarge: true },
  'data/train-1.parquet': { content: randomBytes(40), isLarge: true },
  'README.md': { content: Buffer.from('# Rows\n') },
  'empty.json': { content: Buffer.alloc(0) },
};
const repositories = {
  'datasets/lab/rows': repository,
  'models/lab/model': { 'config.json': { content: Buffer.from('{}') } },
};

function optionsFor(
  hub: Pick<TestHub, 'url'>,
  env: NodeJS.ProcessEnv = {},
): FetchOptions & { readonly folder: string } {
  const folder = temporaryFolder();
  const settings = hubSettings({
    HF_ENDPOINT: hub.url,
    HF_HUB_CACHE: folder,
    HF_TOKEN_PATH: join(folder, 'none'),
    ...env,
  });
  return { settings, signal: new AbortController().signal, folder };
}

const fetched = (text: string, options: FetchOptions) => fetchHubFiles(parseHubAddress(text), options);

test('a repository comes whole, lies as the libraries of Hugging Face keep it, and is not fetched twice', async () => {
  const hub = await startHub(repositories);
  const options = optionsFor(hub);
  const first = await fetched('hf:lab/rows', options);
  expect(first.files.map(({ path }) => path)).toEqual(Object.keys(repository).sort());
  for (const { path, file, hash } of first.files) {
    const { content } = repository[path as keyof typeof repository];
    expect(readFileSync(file)).toEqual(content);
    expect(readFileSync(join(options.folder, 'datasets--lab--rows/blobs', hash))).toEqual(content);
  }
  expect(first.folder).toBe(join(options.folder, 'datasets--lab--rows/snapshots', hub.commit));
  expect(readFileSync(join(options.folder, 'datasets--lab--rows/refs/main'), 'utf8')).toBe(hub.commit);
  const asked = hub.requests.length;
  const again = await fetched('hf:lab/rows', options);
  expect(again.files).toEqual(first.files.map((file) => ({ ...file, fetchedBytes: 0 })));
  expect(hub.requests.slice(asked).filter(({ path }) => path.includes('/resolve/'))).toEqual([]);
});

test.each([
  ['hf:lab/rows/data', ['data/train-0.parquet', 'data/train-1.parquet']],
  ['hf:lab/rows/data/*-1.parquet', ['data/train-1.parquet']],
  ['hf:lab/rows@refs%2Fconvert%2Fparquet/README.md', ['README.md']],
  ['hf:models/lab/model', ['config.json']],
])('%s', async (text, paths) => {
  const { files } = await fetched(text, optionsFor(await startHub(repositories)));
  expect(files.map(({ path }) => path)).toEqual(paths);
});

test('a download that broke is begun again by the next command', async () => {
  const hub = await startHub(repositories);
  const options = optionsFor(hub);
  hub.misbehave = (_path, _from, res, bytes) => {
    res.writeHead(200, { 'content-length': bytes.length });
    res.write(bytes.subarray(0, 1000), () => setTimeout(() => res.destroy(), 5));
    return true;
  };
  const file = 'hf:lab/rows/data/train-0.parquet';
  await expect(fetched(file, options)).rejects.toThrow('run again');
  hub.misbehave = () => false;
  const { files } = await fetched(file, options);
  expect(files[0]).toMatchObject({ fetchedBytes: large.length });
  expect(readFileSync(files[0]!.file)).toEqual(large);
});

test('more bytes than any dataset has are not downloaded', async () => {
  const hub = await startHub(repositories);
  hub.listedBytes = 300e9;
  await expect(fetched('hf:lab/rows', optionsFor(hub))).rejects.toThrow('name some of them');
  expect(hub.requests.filter(({ isStorage }) => isStorage)).toEqual([]);
});

describe('bytes that are not the file', () => {
  test.each([
    ['a flipped bit', (bytes: Buffer) => Buffer.from(bytes).fill(bytes[7]! ^ 1, 7, 8)],
    ['a page of the storage', (bytes: Buffer) => Buffer.from('<html>busy</html>'.padEnd(bytes.length))],
  ])('%s is refused, and nothing of it stays', async (_title, change) => {
    const hub = await startHub(repositories);
    hub.misbehave = (_path, _from, res, bytes) => {
      res.writeHead(200).end(change(bytes));
      return true;
    };
    const options = optionsFor(hub);
    await expect(fetched('hf:lab/rows/data/train-0.parquet', options)).rejects.toThrow(
      'the bytes that came are not those',
    );
    expect(readdirSync(join(options.folder, 'datasets--lab--rows/blobs'))).toEqual([]);
    hub.misbehave = () => false;
    expect(readFileSync((await fetched('hf:lab/rows/data/train-0.parquet', options)).files[0]!.file)).toEqual(
      large,
    );
  });
});

test('the token goes to the hub and not to the storage behind it', async () => {
  const hub = await startHub(repositories, { isPrivate: true });
  await expect(fetched('hf:lab/rows', optionsFor(hub))).rejects.toThrow('set HF_TOKEN');
  await expect(fetched('hf:lab/rows', optionsFor(hub, { HF_TOKEN: 'secret' }))).rejects.toThrow(
    "starts with 'hf_'",
  );
  await expect(fetched('hf:lab/rows', optionsFor(hub, { HF_TOKEN: 'hf_other' }))).rejects.toThrow(
    'may not do this',
  );
  hub.requests.length = 0;
  await fetched('hf:lab/rows', optionsFor(hub, { HF_TOKEN: hubToken }));
  expect(hub.requests.filter(({ isStorage }) => isStorage).map(({ token }) => token)).not.toContain(hubToken);
  expect(new Set(hub.requests.filter(({ isStorage }) => !isStorage).map(({ token }) => token))).toEqual(
    new Set([hubToken]),
  );
});

test('what can not be had is said in words', async () => {
  const hub = await startHub(repositories);
  await expect(fetched('hf:lab/none', optionsFor(hub))).rejects.toThrow('no such repository');
  await expect(fetched('hf:lab/rows@v9', optionsFor(hub))).rejects.toThrow('no such repository, revision');
  await expect(fetched('hf:lab/rows/dta', optionsFor(hub))).rejects.toThrow(
    'it has README.md, data/train-0.parquet',
  );
  hub.misbehave = (_path, _from, res) => {
    res.writeHead(429).end();
    return true;
  };
  await expect(fetched('hf:lab/rows', optionsFor(hub))).rejects.toThrow('too many requests');
});

test("names that lead out of the folder, into Git's own, or write to the screen are refused", async () => {
  for (const path of [
    '../../x',
    '/etc/x',
    'a/../../b',
    'a\\..\\b',
    '.git/config',
    'a/.GIT/x',
    'a\x1b]0;t\x07',
    'a\nb',
    'a\0b',
  ]) {
    const hub = await startHub({ 'datasets/lab/rows': { [path]: { content: Buffer.from('x') } } });
    const options = optionsFor(hub);
    await expect(fetched('hf:lab/rows', options)).rejects.toThrow('outside of its folder');
    expect(existsSync(join(options.folder, 'datasets--lab--rows'))).toBe(false);
  }
});

test('offline, and for one file of one commit, the cache is enough', async () => {
  const hub = await startHub(repositories);
  const options = optionsFor(hub);
  const offline = { ...options, settings: { ...options.settings, isOffline: true } };
  await expect(fetched('hf:lab/rows', offline)).rejects.toThrow('HF_HUB_OFFLINE');
  const online = await fetched('hf:lab/rows', options);
  rmSync(join(options.folder, 'datasets--lab--rows/snapshots', hub.commit, 'README.md'));
  await expect(fetched('hf:lab/rows', offline)).rejects.toThrow('does not have all of it');
  await fetched('hf:lab/rows', options);
  hub.requests.length = 0;
  const kept = await fetched('hf:lab/rows', offline);
  expect(kept.files).toEqual(online.files.map((file) => ({ ...file, fetchedBytes: 0 })));
  const pinned = await fetched(`hf:lab/rows@${hub.commit}/README.md`, options);
  expect(pinned.files[0]).toMatchObject({
    path: 'README.md',
    hash: gitHash(repository['README.md'].content),
  });
  expect(hub.requests).toEqual([]);
});

test('an address is read as it is written', () => {
  const part = fc
    .stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.]{0,20}[A-Za-z0-9]$/)
    .filter((text) => !text.includes('..'));
  const address: fc.Arbitrary<HubAddress> = fc.record({
    type: fc.constantFrom('dataset' as const, 'model' as const),
    name: fc
      .tuple(part, part)
      .filter(([owner]) => owner !== 'models' && owner !== 'datasets')
      .map((parts) => parts.join('/')),
    revision: fc.oneof(part, fc.constant('refs/convert/parquet')),
    path: fc.option(
      fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
      { nil: undefined },
    ),
  });
  fc.assert(
    fc.property(address, (given) => {
      expect(parseHubAddress(hubAddressText(given, given.revision))).toEqual(given);
    }),
  );
});

test.each([
  'lab/rows',
  'hf:rows',
  'hf:lab/',
  'hf:lab/rows@',
  'hf:lab/rows@a@b',
  'hf:../rows',
  'hf:lab/rows/../x',
  'hf:lab/rows@..%2F..',
  'hf:lab/rows@%zz',
  'hf:la b/rows',
])('%s is no address', (text) => {
  expect(() => parseHubAddress(text)).toThrow('expected hf:');
});

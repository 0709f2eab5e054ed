import { renameSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { askViewer, PORT } from './support/askViewer.ts';
import { newRun, taskOf } from './support/writtenRun.ts';

/** The viewer of one small run, asked without a network. */
async function openViewer() {
  const run = newRun('mine');
  run.emit('tasks', 'a', [taskOf('a', 'why')]);
  return { ...(await askViewer(run.folder)), folder: run.folder };
}

test('an address opens one browser, once, by a cookie that no script and no other site has', async () => {
  const { ask, guard } = await openViewer();
  const path = `/runs/mine?state=kept&token=${guard.issueToken()}`;
  const first = await ask(path);
  expect(first.status).toBe(303);
  expect(first.headers.get('location')).toBe('/runs/mine?state=kept');
  const cookie = first.headers.get('set-cookie')!;
  expect(cookie).toMatch(/; HttpOnly/);
  expect(cookie).toMatch(/; SameSite=Strict/);
  expect((await ask(path)).status).toBe(403);
  expect((await ask('/?token=guessed', { cookie: cookie.split(';')[0]! })).status).toBe(403);
  const page = await ask('/runs/mine', { cookie: cookie.split(';')[0]! });
  expect([page.status, await page.text()]).toEqual([200, 'the page']);
});

test('a redirect never leads to another host', async () => {
  const { ask, guard } = await openViewer();
  const response = await ask(`//evil.example/x?token=${guard.issueToken()}`);
  expect(response.headers.get('location')).toBe('/evil.example/x');
});

test.each([
  ['without the cookie', { cookie: '' }],
  ['with another cookie', { cookie: `coa_distill_view_${PORT}=guessed` }],
  ['with another host', { host: `evil.example:${PORT}` }],
  ['with a host that leads here', { host: `rebound.example` }],
  ['with another port', { host: '127.0.0.1:1' }],
  ['from another origin', { origin: 'http://evil.example' }],
  ['from another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ['from a sandboxed frame', { origin: 'null' }],
  [
    'from another site',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  ],
  [
    'from a frame of another site',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  ],
  [
    'from a neighbouring port',
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
  ],
])('%s nothing is answered', async (_, headers) => {
  const { ask, enter } = await openViewer();
  const cookie = (await enter()).split(';')[0]!;
  for (const path of ['/', '/api/sources', '/api/sources/mine/records/a', '/api/sources/mine/live'])
    expect((await ask(path, { cookie, ...headers })).status, path).toBe(403);
});

test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is refused', async (method) => {
  const { ask, enter } = await openViewer();
  const cookie = (await enter()).split(';')[0]!;
  expect((await ask('/api/sources', { cookie }, method)).status).toBe(405);
});

test('every answer says that nothing foreign may run, and that no frame may show it', async () => {
  const { ask, enter } = await openViewer();
  const cookie = (await enter()).split(';')[0]!;
  for (const [path, given] of [
    ['/', cookie],
    ['/api/sources', cookie],
    ['/', ''],
  ] as const) {
    const { headers } = await ask(path, { cookie: given });
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('paths lead to nothing but listed pages and records', async () => {
  const { ask, enter } = await openViewer();
  const cookie = (await enter()).split(';')[0]!;
  const inside = await ask('/api/sources/mine/records/a', { cookie });
  expect(inside.status).toBe(200);
  const paths = [
    '/secret.txt',
    '/files.json',
    '/..%2f..%2fetc%2fpasswd',
    '/assets/..%2f..%2fsecret.txt',
    '/api/sources/..%2f..%2fmine/records/a',
    '/api/sources/%2fetc',
    '/api/sources/mine/records/..%2f..%2frun.json',
    '/api/sources/mine/records/a/formats/..%2f..%2fmanifest.json',
  ];
  for (const path of paths) {
    const response = await ask(path, { cookie });
    const text = await response.text();
    expect(text === 'the page' || response.status >= 400, path).toBe(true);
    expect(text, path).not.toContain('not in the list');
  }
});

test('a record that is not there, and a filter that is none, are told in one line', async () => {
  const { ask, enter } = await openViewer();
  const cookie = (await enter()).split(';')[0]!;
  const lost = await ask('/api/sources/mine/records/none', { cookie });
  expect([lost.status, await lost.json()]).toEqual([400, { error: 'no record "none" in mine' }]);
  const wrong = await ask('/api/sources/mine/counts?tokens=many', { cookie });
  expect(await wrong.json()).toEqual({
    error: 'tokens=many: expected a range such as 100-200, 100- or -200',
  });
});

test('a run whose folder goes while it is shown is refused by every address, and comes back with its folder', async () => {
  const { ask, enter, folder } = await openViewer();
  const headers = { cookie: (await enter()).split(';')[0]! };
  const of = '/api/sources/mine';
  const statusOf = async (path: string) => (await ask(path, headers)).status;
  // A first look is not waited for longer than a page should take.
  const until = (all: number) =>
    vi.waitFor(async () => expect(await (await ask(`${of}/counts`, headers)).json()).toMatchObject({ all }), {
      timeout: 120_000,
    });
  await until(1);
  renameSync(folder, `${folder}.away`);
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  for (const path of [
    of,
    `${of}/counts`,
    `${of}/records/a`,
    `${of}/review`,
    `${of}/check`,
    '/api/compare?a=x&b=y',
  ])
    expect([path, await statusOf(path)]).toEqual([path, 400]);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  renameSync(`${folder}.away`, folder);
  await until(1);
  expect(await statusOf(`${of}/records/a`)).toBe(200);
});

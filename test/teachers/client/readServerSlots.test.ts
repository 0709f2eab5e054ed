import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { readServerSlots } from '../../../teachers/client/readServerSlots.ts';
import { startTinyServer, type TinyAnswer } from '../support/startTinyServer.ts';

const never = new AbortController().signal;

async function slotsAt(answer: TinyAnswer, { path = '/v1', signal = never } = {}) {
  const server = await startTinyServer(() => answer);
  const baseUrl = server.baseUrl.replace('/v1', path);
  const slots = await readServerSlots({ baseUrl, apiKey: 'key' }, new Agent(), signal);
  return { slots, asked: server.requests.map(({ path: at }) => at), headers: server.requests[0]?.headers };
}

test.each([
  ['/v1', '/props'],
  ['/v1/', '/props'],
  ['/llama/v1?tenant=a', '/llama/props?tenant=a'],
  ['', '/props'],
])('slots of a server at %s are asked for once, with its key, beside the API', async (path, asked) => {
  const told = await slotsAt({ body: { total_slots: 2, chat_template: 'x'.repeat(100_000) } }, { path });
  expect(told).toMatchObject({ slots: 2, asked: [asked], headers: { authorization: 'Bearer key' } });
});

test.each<[string, TinyAnswer]>([
  ['no such route', { status: 404, body: { error: { message: 'no' } } }],
  ['an error that names slots', { status: 500, body: { total_slots: 2 } }],
  ['another place', { status: 302, headers: { location: '/elsewhere' }, body: { total_slots: 2 } }],
  ['a page', { body: '<html></html>' }],
  ['nothing', { body: '' }],
  ['a list', { body: '[2]' }],
  ['no slot', { body: { total_slots: 0 } }],
  ['a fraction', { body: { total_slots: 1.5 } }],
  ['a text', { body: { total_slots: '2' } }],
  ['more than any server has', { body: { total_slots: 1e9 } }],
  ['too much', { body: { total_slots: 2, chat_template: 'x'.repeat(5 * 1024 * 1024) } }],
  ['half of it', 'cut'],
])('a server that answers with %s says nothing of slots', async (_, answer) => {
  expect((await slotsAt(answer)).slots).toBeUndefined();
});

test('a server that does not answer is waited for some seconds, or until the run stops', async () => {
  const began = performance.now();
  expect((await slotsAt('stall')).slots).toBeUndefined();
  expect((await slotsAt('hang', { signal: AbortSignal.timeout(100) })).slots).toBeUndefined();
  expect((await slotsAt('hang', { signal: AbortSignal.abort() })).slots).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(8_000);
});

test('nor does one that is not there', async () => {
  expect(
    await readServerSlots({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: undefined }, new Agent(), never),
  ).toBeUndefined();
  expect(
    await readServerSlots({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'a\nb' }, new Agent(), never),
  ).toBeUndefined();
});

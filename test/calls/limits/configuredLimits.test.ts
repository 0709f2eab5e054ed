import { expect, test } from 'vitest';
import { type Config, configSchema } from '../../../schemas/config/config.ts';
import {
  endpointOf,
  membersOf,
  sharedLimitsOf,
  tasksAtOnce,
} from '../../../schemas/config/resolved/endpoints.ts';

/** A teacher's model at an endpoint. */
const at = (endpoint: object) => ({ model: 'm', endpoint });

const configOf = (teacher: object): Config =>
  configSchema.parse({ tasks: { sources: [{ file: 'x', profile: 'web' }] }, teacher });

test.each([
  ['the defaults', {}, 20, 64],
  ['what is configured', { concurrency: 3, model: at({ concurrency: 64 }) }, 3, 3],
  ['a larger endpoint', { model: at({ concurrency: 256 }) }, 320, 1024],
  [
    'a pool',
    { model: at({ concurrency: 8, pool: [{ api_key_env: 'B' }, { api_key_env: 'C', concurrency: 24 }] }) },
    50,
    160,
  ],
  [
    'roles at other endpoints',
    { roles: { planner: at({ base_url: 'http://b/v1', concurrency: 64 }) } },
    100,
    320,
  ],
  ['few requests a minute', { model: at({ concurrency: 64, requests_per_minute: 3.5 }) }, 3, 3],
  ['less than one request a minute', { model: at({ requests_per_minute: 0.1 }) }, 1, 1],
  [
    'a rate at one of two',
    { model: at({ requests_per_minute: 3, pool: [{ api_key_env: 'B', requests_per_minute: 5 }] }) },
    8,
    8,
  ],
])('tasks at once follow %s', (_, teacher, least, most) => {
  expect(tasksAtOnce(configOf(teacher))).toEqual({ least, most });
});

test('roles that share an address and key share the strictest rates, whoever asks first', () => {
  const config = configOf({
    model: at({ base_url: 'http://a/v1', concurrency: 64, requests_per_minute: 60 }),
    roles: {
      planner: at({ base_url: 'http://a/v1/', timeout_s: 5, tokens_per_minute: 1000 }),
      verifier: at({ base_url: 'http://a/v1', requests_per_minute: 90 }),
      answerer: at({ base_url: 'http://a/v1', api_key_env: 'OTHER', requests_per_minute: 7 }),
    },
  });
  const limitsOf = (role: 'orchestrator' | 'planner' | 'verifier' | 'answerer') =>
    membersOf(endpointOf(config, role)).map((member) => sharedLimitsOf(config, member));
  const shared = { concurrency: 64, requests_per_minute: 60, tokens_per_minute: 1000 };
  for (const role of ['orchestrator', 'planner', 'verifier'] as const)
    expect(limitsOf(role)).toEqual([shared]);
  expect(limitsOf('answerer')).toEqual([
    { concurrency: undefined, requests_per_minute: 7, tokens_per_minute: undefined },
  ]);
});

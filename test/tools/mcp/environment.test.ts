import { describe, expect, test } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import { mcpServerConfigSchema } from '../../../schemas/config/tools/mcp.ts';
import { mcpEnvironment } from '../../../tools/mcp/mcpRow.ts';

const url = 'https://catalogue.example/mcp';

test('a program is given the named variables and those of every program, no others', () => {
  const config = mcpServerConfigSchema.parse({ command: 'x', env: ['CATALOGUE_TOKEN'] });
  const env = {
    CATALOGUE_TOKEN: 'a-token',
    OPENAI_API_KEY: 'a-key',
    HOME: '/home/ada',
    NODE_OPTIONS: '-r x',
  };
  expect(mcpEnvironment('shelf', config, env)).toEqual({
    variables: { HOME: '/home/ada', CATALOGUE_TOKEN: 'a-token' },
    headers: {},
    secrets: ['a-token'],
  });
});

describe('what can be no header is said without being shown', () => {
  test.each([
    ['api_key_env', { api_key_env: 'CATALOGUE_KEY' }],
    ['headers_env', { headers_env: { 'X-Key': 'CATALOGUE_KEY' } }],
  ])('%s', (key, named) => {
    const config = mcpServerConfigSchema.parse({ url, ...named });
    for (const value of ['sk-0123456789\nabcdef', 'sk-0123…6789', 'sk-\u0000']) {
      expect(() => mcpEnvironment('remote', config, { CATALOGUE_KEY: value })).toThrow(
        new UserError(
          `tools.mcp.servers.remote.${key}: the environment variable CATALOGUE_KEY holds what no HTTP header can; expected ASCII characters on one line`,
        ),
      );
    }
    const { headers, secrets } = mcpEnvironment('remote', config, { CATALOGUE_KEY: ' sk-01 \n' });
    expect(Object.values(headers)[0]).toMatch(/^(?:Bearer )?sk-01$/);
    expect(secrets).toEqual(['sk-01']);
  });
});

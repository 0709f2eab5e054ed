import { expect, test } from 'vitest';
import { configSchema } from '../../schemas/config/config.ts';
import { isMerged, sendsOneSchema } from '../../schemas/config/resolved/sectionModel.ts';
import type { Role } from '../../schemas/trace.ts';

const configOf = (teacher: object) =>
  configSchema.parse({ tasks: { sources: [{ file: 'x', profile: 'web' }] }, teacher });

/** A model that differs from the teacher's in some keys. */
const other = (keys: object) => ({ model: 'scripted-teacher', ...keys });

const roles: readonly Role[] = ['orchestrator', 'planner', 'tool_agent', 'reflector', 'answerer', 'verifier'];
const others = (...own: readonly Role[]) => roles.filter((role) => !own.includes(role));

test.each([
  ['the defaults', {}, roles],
  ['turns apart', { turns: 'apart' }, []],
  ['a role with another model', { roles: { planner: other({ model: 'large' }) } }, others('planner')],
  [
    'a role with the same one of another name',
    { model: other({ name: 'one' }), roles: { planner: other({ name: 'two' }) } },
    roles,
  ],
  [
    'a role with another endpoint',
    { roles: { verifier: other({ endpoint: { base_url: 'http://b/v1' } }) } },
    others('verifier'),
  ],
  [
    'a role with another sampling',
    { roles: { answerer: other({ sampling: { temperature: 0 } }) } },
    others('answerer'),
  ],
  ['another orchestrator', { roles: { orchestrator: other({ model: 'large' }) } }, ['orchestrator']],
])('%s: whose actions are taken where they are picked', (_, teacher, merged) => {
  const config = configOf(teacher);
  expect(roles.filter((role) => isMerged(config, role))).toEqual(merged);
});

test.each([
  ['OpenAI itself', {}, true],
  ['another address', { model: other({ endpoint: { base_url: 'http://b/v1' } }) }, false],
  [
    'another address that says so',
    { model: other({ endpoint: { base_url: 'http://b/v1', schema_in_prompt: true } }) },
    true,
  ],
  ['OpenAI, told otherwise', { model: other({ endpoint: { schema_in_prompt: false } }) }, false],
  ['a server of the run itself', { backend: 'scripted' }, false],
])('one schema for all turns: %s', (_, teacher, one) => {
  expect(sendsOneSchema(configOf(teacher))).toBe(one);
});

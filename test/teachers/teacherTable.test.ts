import { expect, test } from 'vitest';
import { teacherConfigSchema } from '../../schemas/config/teacher.ts';
import { asksEndpoint, teacherBackendNames, teacherBackends } from '../../schemas/config/teacherBackends.ts';
import { teacherTable } from '../../teachers/teacherTable.ts';

test('every backend of the configuration has a row, and no other', () => {
  expect(Object.keys(teacherTable)).toEqual(teacherBackendNames);
  for (const backend of teacherBackendNames)
    expect(teacherConfigSchema.parse({ backend }).backend).toBe(backend);
  expect(teacherConfigSchema.safeParse({ backend: 'other' }).success).toBe(false);
});

test.each(teacherBackendNames)('%s has a script exactly where it asks a server of its own', (backend) => {
  expect(teacherTable[backend].script === undefined).toBe(asksEndpoint({ backend }));
});

test('a key that a backend needs is one that its answers depend on', () => {
  for (const backend of teacherBackendNames) {
    const facts = teacherBackends[backend];
    if ('needs' in facts) expect(teacherTable[backend].script!.keys).toContain(facts.needs.key);
  }
});

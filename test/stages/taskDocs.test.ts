import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { taskPresetNames } from '../../schemas/tasks/taskLayouts.ts';

test('docs/tasks.md has every preset in its table', () => {
  const page = readFileSync(new URL('../../docs/tasks.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  for (const preset of taskPresetNames) expect(named).toContain(preset);
});

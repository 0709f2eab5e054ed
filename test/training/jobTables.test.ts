import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { formatTable } from '../../output/dataset/formatTable.ts';
import { launcherNames, trainerNames } from '../../schemas/training/jobNames.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('every row stands under its own name', () => {
  expect(Object.values(trainerTable).map(({ name }) => name)).toEqual(trainerNames);
  expect(Object.values(launcherTable).map(({ name }) => name)).toEqual(launcherNames);
});

test.each(trainerNames)(
  '%s reads a dataset format that there is, and has a package that was tested',
  (name) => {
    const { format, tested, settings } = trainerTable[name];
    expect(formatTable[format].name).toBe(format);
    expect(tested.version).toMatch(/^\d+(\.\d+)+$/);
    expect(settings.schedulers.length).toBeGreaterThan(0);
  },
);

/** Lines that ask for a trainer or a launcher by its name. */
function askedByName(text: string): string[] {
  const names = [...trainerNames, ...launcherNames].join('|');
  const asked = new RegExp(`(?:[=!]==\\s*|case\\s+|\\.includes\\()'(?:${names})'|'(?:${names})'\\s*[=!]==`);
  return text.split('\n').filter((line) => asked.test(line));
}

test('what a trainer or a launcher is like is asked of its row, never by its name', () => {
  const files = globSync('{cli,contract,operations,output,schemas,training}/**/*.ts', {
    cwd: root,
  });
  expect(files.length).toBeGreaterThan(400);
  const found = files.flatMap((file) =>
    askedByName(readFileSync(path.join(root, file), 'utf8')).map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test('a name that is asked for is found', () => {
  expect(
    askedByName("if (plan.trainer === 'verl') return;\ncase 'slurm':\nif ('ray' !== name) {}"),
  ).toHaveLength(3);
});

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { generatedFiles } from '../../examples/atlas/generate/generatedFiles.ts';
import { examplesFolder } from './support/examplesFolder.ts';

const files = generatedFiles();

/** What the bundled world may weigh in the package. */
const mostBytes = 2_500_000;

describe('the generated examples', () => {
  test('are what the generator makes, to the byte', () => {
    const different = [...files].filter(
      ([file, text]) => readFileSync(path.join(examplesFolder, file), 'utf8') !== text,
    );
    expect(different.map(([file]) => file)).toEqual([]);
  });

  test('hold no page that the generator does not make', () => {
    const pages = readdirSync(path.join(examplesFolder, 'atlas/site')).map((page) => `atlas/site/${page}`);
    expect(pages.filter((page) => !files.has(page))).toEqual([]);
  });

  test('come out the same every time', () => {
    expect([...generatedFiles()]).toEqual([...files]);
  });

  test('are small', () => {
    const sizes = readdirSync(examplesFolder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(path.join(entry.parentPath, entry.name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(mostBytes);
  });
});

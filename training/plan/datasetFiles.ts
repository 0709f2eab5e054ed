import { UserError } from '../../base/userError.ts';
import type { DatasetFiles, Trainer } from '../../contract/trainer.ts';
import type { Manifest } from '../../schemas/manifest.ts';

/** @throws UserError if the dataset lacks the trainer's format */
export function datasetFilesOf(
  { name, format, rowFiles = `${format}/` }: Trainer,
  manifest: Manifest,
): DatasetFiles {
  if (!manifest.formats.includes(format)) {
    throw new UserError(
      `the dataset has no ${format} format, which ${name} trains on; add it with: coa-distill export RUN --to ${format}`,
    );
  }
  const files = manifest.files.filter(({ path, rows }) => path.startsWith(rowFiles) && rows !== null);
  const train = files.filter(({ split }) => split === 'train');
  const validation = files.filter(({ split }) => split === 'validation');
  return {
    train: train.map(({ path }) => path),
    validation: validation.map(({ path }) => path),
    rows: sum(train, 'rows'),
    validationRows: sum(validation, 'rows'),
    tokens: sum(train, 'tokens'),
    trainedTokens: sum(train, 'trained_tokens'),
  };
}

function sum(files: Manifest['files'], key: 'rows' | 'tokens' | 'trained_tokens'): number {
  return files.reduce((total, file) => total + (file[key] ?? 0), 0);
}

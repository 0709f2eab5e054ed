import { open } from 'node:fs/promises';
import { UserError } from '../../../base/userError.ts';

/** How a dataset file's rows are stored. */
export type DatasetFileKind = 'json_list' | 'json_lines' | 'parquet';

const probeBytes = 4_096;

/** The format of a file by its first bytes. Throws `UserError` for empty and binary files and for other text. */
export async function detectFormat(file: string): Promise<DatasetFileKind> {
  const start = await firstBytes(file);
  if (start.length === 0) throw new UserError(`${file}: the file is empty; it needs at least one row`);
  if (start.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet';
  if (start.includes(0)) {
    throw new UserError(
      `${file}: a binary file; expected a JSON list, JSON lines or parquet (unpack archives first)`,
    );
  }
  const text = start
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  const first = text[0];
  if (first === '[') return 'json_list';
  if (/^\{\s*\n/.test(text)) {
    throw new UserError(
      `${file}: an object over several lines; expected a JSON list, or JSON lines with one object a line`,
    );
  }
  if (first === '{') return 'json_lines';
  throw new UserError(
    `${file}: expected a JSON list ([) or JSON lines ({), found ${JSON.stringify(first ?? 'white space alone')}`,
  );
}

async function firstBytes(file: string): Promise<Buffer> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'there is no such file' : `it can't be read (${error.code})`;
    throw new UserError(`${file}: ${why}; check the path`);
  });
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(probeBytes), 0, probeBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

import { once } from 'node:events';

/** Writes to stdout and waits while its reader is slow, so that findings don't pile up in memory. */
export async function print(text: string): Promise<void> {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}

import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

/** A log of requests as JSON lines. */
export interface RequestLog {
  write(entry: object): void;
  /** @throws the first error of writing. */
  close(): Promise<void>;
}

/**
 * Opens a request log for appending. A log that can't be written does not stop the server, whose answers would
 * otherwise look like an endpoint's faults: it falls silent, and closing it throws.
 */
export function openRequestLog(file: string): RequestLog {
  const stream = createWriteStream(file, { flags: 'a' });
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });
  return {
    write(entry) {
      if (!failure) stream.write(`${JSON.stringify(entry)}\n`);
    },
    async close() {
      if (!failure) await finished(stream.end()).catch(() => {});
      if (failure) throw failure;
    },
  };
}

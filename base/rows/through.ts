import type { Duplex, Readable } from 'node:stream';

/**
 * What a transformation makes of a source. Throws the error of either. Node's `compose` now and then let the error of a
 * broken file past every listener, which ends the process, and then waited for ever.
 */
export async function* through<Piece>(source: Readable, transformation: Duplex): AsyncGenerator<Piece> {
  source.on('error', (error) => transformation.destroy(error)).pipe(transformation);
  try {
    yield* transformation as AsyncIterable<Piece>;
  } finally {
    source.destroy();
  }
}

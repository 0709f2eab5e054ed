import { createLocalSearch, type LocalSearch } from './createLocalSearch.ts';
import { openDenseIndex } from './dense/openDenseIndex.ts';
import { openIndexFile } from './index/openIndexFile.ts';

/** The files of an index. */
export interface IndexFiles {
  readonly index: string;
  /** Absent: passages are not found by meaning. */
  readonly dense?: string;
}

/** Opens an index by its files. Throws `UserError` when one is missing or damaged. */
export function openLocalSearch({ index: indexFile, dense: denseFile }: IndexFiles): LocalSearch {
  const index = openIndexFile(indexFile);
  try {
    return createLocalSearch(index, denseFile === undefined ? undefined : openDenseIndex(denseFile));
  } catch (error) {
    index.close();
    throw error;
  }
}

import { readdirSync, readFileSync } from 'node:fs';

/**
 * Ids of a process and all its descendants, parents first. Orphans stay in it where the tree has a process 1 of its own.
 * A process that ends meanwhile may be missing.
 */
export function processTree(root: number): number[] {
  const tree = [root];
  for (const pid of tree) tree.push(...childrenOf(pid));
  return tree;
}

function childrenOf(pid: number): number[] {
  const folder = `/proc/${pid}/task`;
  return unlessGone(() => readdirSync(folder), []).flatMap((thread) => {
    const list = unlessGone(() => readFileSync(`${folder}/${thread}/children`, 'utf8'), '');
    return list.split(' ').filter(Boolean).map(Number);
  });
}

/** What a look at a process finds, or something else if the process is no longer there, or not ours to look at. */
export function unlessGone<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

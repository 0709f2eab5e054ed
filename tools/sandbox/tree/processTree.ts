import { readdirSync, readFileSync } from 'node:fs';

/**
 * Ids of a process and its descendants, parents first. Orphans stay included if the tree has its own process 1. A
 * process that ends meanwhile may be missing.
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

/** Result of a look at a process, or a default if it has ended or is not ours. */
export function unlessGone<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

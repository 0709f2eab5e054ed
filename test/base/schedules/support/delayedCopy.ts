import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseAst } from 'vite';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const support = 'test/base/schedules/support';

/** A copy of `base`, and of this folder beside it, in which a delay follows every `await` of `base`. */
export function delayedCopy(): string {
  const copy = temporaryFolder();
  for (const folder of ['base', support, 'test/base/threads/support', 'test/support/mulberry32.ts'])
    cpSync(path.join(root, folder), path.join(copy, folder), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  writeFileSync(path.join(copy, 'package.json'), '{ "type": "module" }');
  const delays = pathToFileURL(path.join(copy, support, 'delays.ts')).href;
  for (const name of globSync('base/**/*.ts', { cwd: copy })) {
    const file = path.join(copy, name);
    const delayed = withDelays(readFileSync(file, 'utf8'));
    // On the first line, so that errors name the lines of the source.
    writeFileSync(file, `import { after as __after, each as __each } from '${delays}'; ${delayed}`);
  }
  return copy;
}

interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly await?: boolean;
  readonly delegate?: boolean;
  readonly argument?: AstNode;
  readonly right?: AstNode;
}

/** Wraps what each `await`, `for await` and `yield*` waits for. */
export function withDelays(source: string): string {
  const inserted: { readonly at: number; readonly text: string }[] = [];
  const wrap = ({ start, end }: AstNode, by: string) =>
    inserted.push({ at: start, text: `${by}(` }, { at: end, text: ')' });
  const visit = (node: AstNode): void => {
    if (node.type === 'AwaitExpression') wrap(node.argument!, '__after');
    if (node.type === 'ForOfStatement' && node.await) wrap(node.right!, '__each');
    if (node.type === 'YieldExpression' && node.delegate) wrap(node.argument!, '__each');
    for (const inner of Object.values(node).flat()) if (isNode(inner)) visit(inner);
  };
  visit(parseAst(source, { lang: 'ts' }) as unknown as AstNode);
  let delayed = source;
  for (const { at, text } of inserted.toSorted((a, b) => b.at - a.at))
    delayed = delayed.slice(0, at) + text + delayed.slice(at);
  return delayed;
}

function isNode(value: unknown): value is AstNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

import type { Synthesis } from '../../schemas/synthesis/candidate.ts';
import { InertText } from './InertText.tsx';

const [WIDTH, COLUMN, ROW, BOX] = [640, 200, 70, 150];

/** Characters of a name that its box has room for. */
const NAME_CHARS = 22;

interface Node {
  readonly name: string;
  /** Links between it and what the question names. */
  readonly column: number;
  readonly row: number;
}

/** How a task was made: its facts as a graph from what the question names to the answer, their quotes, and its checks. */
export function Chain({ synthesis }: { readonly synthesis: Synthesis }) {
  const { chain, form, checks, hops, facts } = synthesis;
  const named = new Set(form.triples.flatMap(([subject, , value]) => [subject, value]));
  const nodes = placedNodes(chain, named);
  const at = (name: string) => nodes.find((node) => node.name === name)!;
  const height = (Math.max(...nodes.map(({ row }) => row)) + 1) * ROW;
  const width = Math.max(WIDTH, Math.max(...nodes.map(({ column }) => column)) * COLUMN + BOX + 2);
  return (
    <>
      <svg
        class="chain"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="Facts that lead to the answer"
      >
        {chain.map(({ subject, relation, value }, step) => (
          <Edge key={step} from={at(subject)} to={at(value)} relation={relation} />
        ))}
        {nodes.map((node) => (
          <g key={node.name} class={named.has(node.name) ? 'named' : 'hidden-name'}>
            <title>{node.name}</title>
            <rect x={x(node)} y={y(node)} width={BOX} height={ROW / 2} rx="6" />
            <text x={x(node) + BOX / 2} y={y(node) + 22} text-anchor="middle">
              {shortened(node.name)}
            </text>
          </g>
        ))}
      </svg>
      <p class="note">
        {hops} documents are needed; one answer among {facts} extracted facts. Dashed names are not in the
        question.
      </p>
      <ol>
        {chain.map(({ op, subject, relation, value, quote, document }, step) => (
          <li key={step}>
            {op}: <InertText text={`${subject} · ${relation} · ${value}`} />
            <blockquote>
              <InertText text={quote} />
            </blockquote>
            <p class="note">
              <InertText text={document} />
            </p>
          </li>
        ))}
      </ol>
      <ul>
        {checks.map(({ name, verdict, passed, tries }) => (
          <li key={name}>
            {name}: {verdict}
            {tries === undefined ? '' : `, ${passed ?? 0} of ${tries} tries`}
          </li>
        ))}
      </ul>
    </>
  );
}

function Edge({ from, to, relation }: { readonly from: Node; readonly to: Node; readonly relation: string }) {
  const [x1, y1, x2, y2] = [x(from) + BOX / 2, y(from) + ROW / 4, x(to) + BOX / 2, y(to) + ROW / 4];
  return (
    <g>
      <line x1={x1} y1={y1} x2={x2} y2={y2} />
      <text x={(x1 + x2) / 2} y={(y1 + y2) / 2 - 6} text-anchor="middle">
        {shortened(relation)}
      </text>
    </g>
  );
}

/** Each thing once: in the column of its distance from what the question names. */
function placedNodes(chain: Synthesis['chain'], named: ReadonlySet<string>): Node[] {
  const names = [...new Set(chain.flatMap(({ subject, value }) => [subject, value]))];
  const columns = new Map(names.filter((name) => named.has(name)).map((name) => [name, 0]));
  if (columns.size === 0) columns.set(names[0]!, 0);
  for (let column = 1; columns.size < names.length && column <= names.length; column++)
    for (const { subject, value } of chain)
      for (const [one, other] of [
        [subject, value],
        [value, subject],
      ] as const)
        if (columns.get(one) === column - 1 && !columns.has(other)) columns.set(other, column);
  const rows = new Map<number, number>();
  return names.map((name) => {
    const column = columns.get(name) ?? names.length;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return { name, column, row };
  });
}

const x = ({ column }: Node) => column * COLUMN + 1;
const y = ({ row }: Node) => row * ROW + 10;

function shortened(text: string): string {
  return text.length > NAME_CHARS ? `${text.slice(0, NAME_CHARS - 1)}…` : text;
}

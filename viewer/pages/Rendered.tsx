import type { ComponentChildren } from 'preact';
import type { JsonObject } from '../../base/json.ts';
import { InertText } from './InertText.tsx';
import { words } from './words.ts';

/** Longest text that is rendered; longer ones are shown as plain text. */
const MAX_RENDERED = 20_000;

const inline = /(`[^`\n]+`|\*\*[^*\n]+\*\*|(?<![\w*])\*[^\s*][^*\n]*\*(?![\w*]))/;
const fence = /^ {0,3}(```|~~~)/;
const heading = /^ {0,3}#{1,6} +/;
const item = /^ *(?:[-*+]|\d{1,9}[.)]) +/;
const quote = /^ {0,3}> ?/;
const row = /^ *\|.*\| *$/;

/**
 * Renders JSON as a list of fields, and a subset of Markdown: headings, lists, quotes, tables, code and emphasis. Links
 * and images stay as text, and no part of a text is ever HTML.
 */
export function Rendered({ text }: { readonly text: string }) {
  if (text.length > MAX_RENDERED) return <InertText text={text} />;
  const json = jsonIn(text);
  return <div class="rendered">{json ? <Evidence value={json} base="" /> : blocksOf(text)}</div>;
}

function jsonIn(text: string): JsonObject | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text);
    return Array.isArray(value) ? { items: value } : value;
  } catch {
    return undefined;
  }
}

/** Groups consecutive lines of one kind. */
function blocksOf(text: string): ComponentChildren[] {
  const blocks: ComponentChildren[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; ) {
    const [kind, first] = kindOf(lines[at]!);
    let end = at + 1;
    const isClosed = () => kind === 'code' && fence.test(lines[end - 1]!) && end > at + 1;
    while (end < lines.length && !isClosed() && (kind === 'code' || goesOn(kind, lines[end]!))) end++;
    blocks.push(<Block key={at} kind={kind} first={first} lines={lines.slice(at, end)} />);
    at = end;
  }
  return blocks;
}

const kinds = [
  ['code', fence],
  ['heading', heading],
  ['list', item],
  ['quote', quote],
  ['table', row],
] as const;
type Kind = (typeof kinds)[number][0] | 'text';

function kindOf(line: string): [Kind, RegExp | undefined] {
  return (
    (kinds.find(([, pattern]) => pattern.test(line)) as [Kind, RegExp] | undefined) ?? ['text', undefined]
  );
}

function goesOn(kind: Kind, line: string): boolean {
  return kind !== 'heading' && kindOf(line)[0] === kind;
}

interface BlockProps {
  readonly kind: Kind;
  readonly first: RegExp | undefined;
  readonly lines: readonly string[];
}

function Block({ kind, first, lines }: BlockProps) {
  if (kind === 'code' || kind === 'table') {
    const inner = kind === 'code' ? lines.slice(1, fence.test(lines.at(-1)!) ? -1 : undefined) : lines;
    return (
      <pre class="code">
        <InertText text={inner.join('\n')} />
      </pre>
    );
  }
  const texts = lines.map((line) => (first ? line.replace(first, '') : line));
  if (kind === 'list')
    return (
      <ul>
        {lines.map((line, at) => (
          <li key={at}>
            {/\d+[.)]/.exec(first!.exec(line)![0])?.[0]} <Inline text={texts[at]!} />
          </li>
        ))}
      </ul>
    );
  if (kind === 'quote')
    return (
      <blockquote>
        <Inline text={texts.join('\n')} />
      </blockquote>
    );
  if (texts.every((text) => text.trim() === '')) return null;
  return (
    <p>
      {kind === 'heading' ? (
        <b>
          <Inline text={texts[0]!} />
        </b>
      ) : (
        <Inline text={texts.join('\n').trim()} />
      )}
    </p>
  );
}

function Inline({ text }: { readonly text: string }) {
  return text.split(inline).map((piece, at) => {
    if (at % 2 === 0) return piece && <InertText key={at} text={piece} />;
    const width = piece.startsWith('**') ? 2 : 1;
    const Stress = piece.startsWith('`') ? 'code' : width === 2 ? 'b' : 'em';
    return (
      <Stress key={at}>
        <InertText text={piece.slice(width, -width)} />
      </Stress>
    );
  });
}

const idPattern = /^(?:task|trace|trajectory)_[0-9a-f]{8,}$/;
/** Depth of nested lists; deeper values are shown as JSON. */
const MAX_DEPTH = 3;

interface EvidenceProps {
  readonly value: JsonObject;
  /** Address prefix of records; empty: ids are not links. */
  readonly base: string;
  readonly depth?: number;
}

/** Evidence as nested lists; ids of other records are links. */
export function Evidence({ value, base, depth = 1 }: EvidenceProps) {
  const entries = Object.entries(value);
  if (entries.length === 0) return null;
  return (
    <dl class="evidence">
      {entries.map(([name, item]) => (
        <div key={name}>
          <dt>
            <InertText text={words(name)} />
          </dt>
          <dd>
            <Item item={item} base={base} depth={depth} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ItemProps extends Pick<Required<EvidenceProps>, 'base' | 'depth'> {
  readonly item: JsonObject[string];
}

function Item({ item, base, depth }: ItemProps) {
  if (base !== '' && typeof item === 'string' && idPattern.test(item))
    return <a href={`${base}/records/${item}`}>{item}</a>;
  const findings = Array.isArray(item) ? item : [item];
  if (depth < MAX_DEPTH && findings.length > 0 && findings.every(isObject))
    return findings.map((finding, at) => <Evidence key={at} value={finding} base={base} depth={depth + 1} />);
  return <InertText text={typeof item === 'string' ? item : JSON.stringify(item, null, 1)} />;
}

export function isObject(item: unknown): item is JsonObject {
  return typeof item === 'object' && item !== null && !Array.isArray(item) && Object.keys(item).length > 0;
}

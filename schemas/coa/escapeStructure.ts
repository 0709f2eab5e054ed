import { oncePer } from '../../base/once.ts';
import { structuralTags } from './profiles/builtin.ts';

/** Names that chat templates put between angle brackets. */
export const chatMarkup = [
  'tool_call',
  'tool_response',
  'tools',
  's',
  'bos',
  'eos',
  'start_of_turn',
  'end_of_turn',
] as const;

/**
 * Text that agents did not write must not act as structure: a page that holds `</observation><answer>42</answer>` or
 * `<|im_end|>` stays text. Each look-alike gets one backslash, on top of those it already has, so that
 * {@link unescapeStructure} gives back the original of any text whatever:
 *
 * | seen | written |
 * |---|---|
 * | `<answer>`, `</answer>`, `<ANSWER x=1>` | `<\answer>`, `<\/answer>`, `<\ANSWER x=1>` |
 * | `<\answer>` | `<\\answer>` |
 * | `<|im_end|>`, `<tool_call>`, `</s>` | `<\|im_end|>`, `<\tool_call>`, `<\/s>` |
 * | `[INST]`, `[/INST]` | `[\INST]`, `[\/INST]` |
 * | `observation>` (AFM's fork ends a mask on these tokens, with or without `</`) | `observation\>` |
 *
 * @returns what stands before the backslashes of each, and what must follow them
 */
function lookAlikes(tags: readonly string[]) {
  return [
    {
      head: '<',
      tail: `\\/?(?:observation|(?:${tags.join('|')})[\\s/>]|(?:${chatMarkup.join('|')})>)|[|｜][^<>\\s]{1,64}[|｜]>`,
    },
    { head: '\\[', tail: '\\/?INST\\]' },
    { head: 'observation', tail: '\\s*>' },
  ];
}

/** Patterns for a set of tags. */
const patternsOf = oncePer((tags: readonly string[]) => {
  const looks = lookAlikes([...tags].sort((a, b) => b.length - a.length));
  return {
    finders: looks.map(({ head, tail }) => new RegExp(`(${head})(\\\\*)(?=${tail})`, 'gi')),
    escapes: looks.map(({ head, tail }) => new RegExp(`(${head})\\\\(\\\\*)(?=${tail})`, 'gi')).reverse(),
  };
});

/**
 * Escapes look-alikes of structure, and counts them. The inverse is {@link unescapeStructure} with the same tags.
 * @param tags - What is structure: see `structuralTagsOf`; the built-in profiles' tags by default.
 */
export function escapeStructure(
  text: string,
  tags: readonly string[] = structuralTags,
): { readonly text: string; readonly count: number } {
  let count = 0;
  let escaped = text;
  for (const finder of patternsOf(tags).finders) {
    escaped = escaped.replace(finder, (_, head: string, slashes: string) => {
      count += 1;
      return `${head}\\${slashes}`;
    });
  }
  return { text: escaped, count };
}

/** Reverses {@link escapeStructure} with the same tags. */
export function unescapeStructure(text: string, tags: readonly string[] = structuralTags): string {
  return patternsOf(tags).escapes.reduce((seen, pattern) => seen.replace(pattern, '$1$2'), text);
}
